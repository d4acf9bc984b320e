// What the inbox gains with a script: it changes while one looks, answers without a page load, and can be worked with the
// keyboard alone. Every page is whole without it. Pages are drawn by the server only: here parts of a page read anew
// replace their older selves, and nothing that a person has typed is ever replaced.
(() => {
  'use strict';

  const $ = (sel, root = document) => root.querySelector(sel);
  const $$ = (sel, root = document) => [...root.querySelectorAll(sel)];
  const words = $('#words')?.dataset ?? {};
  const lang = document.documentElement.lang;
  document.documentElement.classList.add('js');

  // ---- Times: in the reader's own zone and way.

  const near = new Intl.RelativeTimeFormat(lang, { numeric: 'auto' });
  const far = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short' });
  const clock = new Intl.DateTimeFormat(lang, { timeStyle: 'short' });
  const units = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]];

  function ago(then) {
    const s = (then - Date.now()) / 1000;
    if (Math.abs(s) > 7 * 86400) return far.format(then);
    const [unit, size] = units.find(([, n]) => Math.abs(s) >= n) ?? ['second', 1];
    return near.format(unit === 'second' ? 0 : Math.trunc(s / size), unit);
  }

  function tellTimes(root = document) {
    for (const t of $$('time', root)) {
      const then = new Date(t.dateTime);
      const text = t.closest('.due') ? `${Math.abs(then - Date.now()) < 86400e3 ? clock.format(then) : far.format(then)} (${ago(then)})` : ago(then);
      if (t.textContent !== text) t.textContent = text;
      t.title = far.format(then);
    }
  }

  // ---- Saying things.

  let silence;
  function say(text, kind) {
    const bar = $('#say');
    clearTimeout(silence);
    bar.replaceChildren();
    if (!text) return;
    const p = document.createElement('p');
    p.className = `say say-${kind}`;
    p.textContent = text;
    bar.append(p);
    silence = setTimeout(() => bar.replaceChildren(), 10000);
  }

  $('#say').addEventListener('click', () => say(''));

  function hear(text) { if (text) $('#heard').textContent = text; }

  function notice(card, text, kind) {
    const old = $(':scope > .notice:not([data-part])', card);
    if (old) old.remove();
    const p = $(':scope > [data-part=notice]', card);
    p.className = `say say-${kind} notice`;
    p.textContent = text;
    p.hidden = !text;
  }

  // ---- Reading the page anew.

  const dirty = (form) => form && $$('textarea', form).some((t) => t.value.trim() !== '');

  // retire puts the ended card in the place of the open one, and keeps what was being typed.
  function retire(old, fresh) {
    const form = $('form[data-words]', old);
    const hadFocus = old.contains(document.activeElement);
    if (!dirty(form)) {
      old.replaceWith(fresh);
      if (hadFocus) fresh.focus({ preventScroll: true });
      return;
    }
    const from = $('textarea', form);
    const box = document.createElement('div');
    const label = document.createElement('label');
    const text = document.createElement('textarea');
    box.className = 'unsent';
    label.textContent = words.unsent;
    label.htmlFor = text.id = `unsent-${fresh.dataset.n}`;
    text.rows = 3;
    text.value = from.value;
    box.append(label, text);
    fresh.insertBefore(box, $(':scope > .card-foot', fresh));
    const typing = from === document.activeElement;
    const [start, end] = [from.selectionStart, from.selectionEnd];
    old.replaceWith(fresh);
    if (typing) {
      text.focus({ preventScroll: true });
      text.setSelectionRange(start, end);
    } else if (hadFocus) fresh.focus({ preventScroll: true });
  }

  function change(old, fresh) {
    const isCard = old.matches('.card');
    if (isCard && 'open' in old.dataset && 'open' in fresh.dataset) {
      old.className = fresh.className; // still open: only what it says has changed
      old.dataset.v = fresh.dataset.v;
      $('[data-part=note]', old).replaceWith($('[data-part=note]', fresh));
      hear($('.note', old)?.textContent);
      return;
    }
    if (isCard) {
      retire(old, fresh);
      hear($('.note', fresh)?.textContent);
      return;
    }
    const link = $('a', old);
    const focused = link && link === document.activeElement;
    old.replaceWith(fresh);
    if (focused) $('a', fresh)?.focus({ preventScroll: true });
  }

  // reconcile makes a list show what the fresh one shows, touching only what differs.
  function reconcile(old, fresh) {
    const known = new Map([...old.children].map((c) => [c.dataset.key, c]));
    let came = false;
    [...fresh.children].forEach((item, k) => {
      let mine = known.get(item.dataset.key);
      known.delete(item.dataset.key);
      if (!mine) {
        mine = item;
        item.classList.add('fresh');
        came = true;
      } else if (mine.dataset.v !== item.dataset.v) {
        change(mine, item);
        mine = old.children[[...old.children].findIndex((c) => c.dataset.key === item.dataset.key)];
      }
      if (old.children[k] !== mine) old.insertBefore(mine, old.children[k] ?? null);
    });
    const focused = document.activeElement;
    for (const gone of known.values()) {
      const next = gone.contains(focused) ? gone.nextElementSibling ?? gone.previousElementSibling : null;
      gone.remove();
      if (next) $('a', next)?.focus({ preventScroll: true });
    }
    return came;
  }

  function adopt(page) {
    document.title = page.title;
    tellTimes(page);
    let came = false;
    for (const list of $$('[data-list]')) {
      const fresh = $(`[data-list=${list.dataset.list}]`, page);
      if (fresh && reconcile(list, fresh)) came = true;
    }
    for (const part of $$('main > [data-part]')) {
      const fresh = $(`main > [data-part=${part.dataset.part}]`, page);
      if (fresh && fresh.dataset.v !== part.dataset.v) part.replaceWith(fresh);
    }
    showFilters();
    if (came) hear(words.new);
  }

  async function readAgain() {
    do {
      again = false;
      const page = await read();
      if (page) adopt(page);
    } while (again);
  }

  async function read() {
    let r;
    try {
      r = await fetch(location.pathname + location.search, { headers: { Accept: 'text/html' }, credentials: 'same-origin' });
      if (r.ok) return new DOMParser().parseFromString(await r.text(), 'text/html');
    } catch {
      return null; // away: the stream says so and comes back
    }
    if (r.status === 401) location.reload();
    return null;
  }

  let reading = null;
  let again = false;
  // refresh reads the page anew; while it is being read, once more after that.
  function refresh() {
    if (reading) {
      again = true;
      return reading;
    }
    reading = readAgain().finally(() => { reading = null; });
    return reading;
  }

  // ---- Hearing of changes. One tab of a browser holds the stream and tells the others: browsers allow few connections.

  const state = $('#link-state');
  const channel = 'BroadcastChannel' in window ? new BroadcastChannel('bridge-inbox') : null;
  const pause = 400; // between two readings, however much happens
  let later;
  let last = 0;

  function changed() {
    later ??= setTimeout(() => {
      later = undefined;
      last = Date.now();
      refresh();
    }, Math.max(20, last + pause - Date.now()));
  }

  function connection(up) {
    state.textContent = up ? '' : words.lost;
    document.documentElement.classList.toggle('connected', up);
    if (up) changed();
  }

  function tell(what) {
    channel?.postMessage(what);
    hearOf(what);
  }

  function hearOf(what) {
    if (what === 'change') changed();
    else if (what === 'hello') welcome();
    else connection(what === 'up');
  }

  // welcome lets a new tab know that this one has the stream, so that it reads itself anew and misses nothing.
  function welcome() {
    if (source?.readyState === EventSource.OPEN) channel.postMessage('up');
  }

  let source;
  function listen(path) {
    source = new EventSource(path);
    source.onopen = () => tell('up');
    source.addEventListener('change', () => tell('change'));
    source.onerror = () => {
      tell('down');
      if (source.readyState !== EventSource.CLOSED) return; // it comes back by itself
      source.close();
      refresh(); // which finds out whether we are still signed in
      setTimeout(() => listen(path), 3000);
    };
  }

  function live(path) {
    if (!path) return;
    if (channel) {
      channel.onmessage = (e) => hearOf(e.data);
      channel.postMessage('hello');
    }
    if (channel && navigator.locks) navigator.locks.request('bridge-inbox-live', () => { listen(path); return new Promise(() => {}); });
    else listen(path);
    document.addEventListener('visibilitychange', () => { if (!document.hidden) changed(); });
  }

  // ---- Pressing.

  const dialog = $('#confirm');

  function sure(button) {
    $('#confirm-title').textContent = button.dataset.title;
    $('#confirm-text').textContent = button.dataset.text;
    const yes = $('#confirm-yes');
    const no = $('#confirm-no');
    yes.textContent = button.dataset.yes;
    no.textContent = button.dataset.no;
    yes.className = 'danger' in button.dataset ? 'button danger' : 'button primary';
    return new Promise((done) => {
      let said = '';
      yes.onclick = () => { said = button.dataset.confirm; dialog.close(); };
      no.onclick = () => dialog.close();
      dialog.onclose = () => { if (!dialog.open) done(said); }; // not the late event of an earlier closing
      dialog.showModal();
      no.focus();
    });
  }

  async function post(form, data) {
    const r = await fetch(form.action, {
      method: 'POST', body: new URLSearchParams(data), headers: { Accept: 'application/json' }, credentials: 'same-origin',
      signal: AbortSignal.timeout(8000),
    });
    if (r.status === 401) { location.reload(); throw new Error('signed out'); }
    if (!r.headers.get('Content-Type')?.startsWith('application/json')) throw new Error('no verdict');
    return r.json();
  }

  async function press(form, button) {
    const card = form.closest('.card');
    if (card.getAttribute('aria-busy') === 'true') return;
    const data = new FormData(form);
    data.set('press', button.value);
    if (button.dataset.confirm) {
      const id = await sure(button);
      if (!id) { button.focus(); return; }
      data.set('press', id);
    }
    notice(card, '', 'asked');
    card.setAttribute('aria-busy', 'true');
    hear(words.sending);
    let v;
    try {
      v = await post(form, data);
    } catch {
      v = { kind: 'unknown', say: words.unsaid };
    }
    card.removeAttribute('aria-busy');
    if (v.kind === 'taken') {
      $$('textarea', form).forEach((t) => { t.value = ''; });
      say(v.say, v.kind);
    } else notice(card, v.say, v.kind);
    await refresh();
    const now = document.getElementById(card.id);
    if (v.kind !== 'taken' && !card.isConnected) notice(now, v.say, v.kind);
    const el = document.activeElement;
    if (el !== document.body && !now.contains(el)) return; // the person is elsewhere by now
    if (v.kind === 'taken') goOn(now);
    else if (card.isConnected) (dirty(form) ? $('textarea', form) : button).focus();
  }

  // goOn leads to what is still to be answered.
  function goOn(card) {
    const cards = $$('.card');
    const at = cards.indexOf(card);
    const next = [...cards.slice(at + 1), ...cards.slice(0, at)].find((c) => 'open' in c.dataset);
    (next ?? $('#next') ?? card).focus();
  }

  document.addEventListener('submit', (e) => {
    if (!e.target.matches('form[data-press]') || !e.submitter) return;
    if (e.submitter.dataset.confirm && !dialog?.showModal) return; // a page of its own asks once more
    e.preventDefault();
    press(e.target, e.submitter);
  });

  // ---- The keyboard.

  const typing = (el) => el.matches('textarea, input[type=search], input[type=text], select, [contenteditable]');
  const items = () => $$('.card, [data-list=waiting] .row, .rows-ended .row');

  // current is the card that keys are for: the one in which the focus is, else the first that is open.
  function current() {
    const here = document.activeElement.closest('.card');
    return here && 'open' in here.dataset ? here : $('.card[data-open]') ?? here ?? $('.card');
  }

  function move(by) {
    const all = items();
    const at = all.findIndex((x) => x.contains(document.activeElement));
    const to = at < 0 ? (by > 0 ? all[0] : all.at(-1)) : all[at + by];
    if (!to) return false;
    to.focus({ preventScroll: true });
    to.scrollIntoView({ block: to.offsetHeight > innerHeight ? 'start' : 'nearest' });
    return true;
  }

  // step moves between the options of a card, or between rows.
  function step(by) {
    const el = document.activeElement;
    if (el.matches('.row')) return move(by);
    const group = el.closest('.options');
    if (!group) return false;
    const all = $$('[data-option]', group).filter((o) => o.offsetParent);
    const to = all[all.indexOf(el) + by];
    to?.focus();
    return !!to;
  }

  let digits = '';
  let forget;
  function digit(d) {
    const card = current();
    if (!card) return false;
    clearTimeout(forget);
    const find = (n) => $$('[data-option]', card).find((o) => o.dataset.option === n && o.offsetParent);
    let option = find(digits + d);
    digits = option ? digits + d : d;
    option ??= find(d);
    forget = setTimeout(() => { digits = ''; }, 1200);
    if (!option) return false;
    option.focus();
    if (option.type === 'checkbox' && digits.length === 1) option.click();
    return true;
  }

  function ask(selector) {
    const button = current()?.querySelector(selector);
    button?.click();
    return !!button;
  }

  function own() {
    const card = current();
    const fold = card?.querySelector('details.own');
    if (fold) fold.open = true;
    const text = card?.querySelector('form[data-words] textarea');
    text?.focus();
    return !!text;
  }

  const keys = {
    j: () => move(1), k: () => move(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1), o: own,
    s: () => ask('[data-kind=skip]'), x: () => ask('[data-kind=dismiss]'),
    u: () => { if (!$('.card')) return false; location.assign('/'); return true; },
    '?': () => { help(); return true; },
  };

  function help() {
    const box = $('#keys');
    if (box && !box.open) box.showModal();
  }

  document.addEventListener('keydown', (e) => {
    const el = document.activeElement;
    if (e.isComposing || $('dialog[open]')) return;
    if (e.key === 'Enter' && (e.ctrlKey || e.metaKey) && el.form?.matches('[data-words]')) {
      e.preventDefault();
      el.form.requestSubmit($('[name=press]', el.form));
      return;
    }
    if (e.key === 'Enter' && el.type === 'checkbox' && el.form) {
      e.preventDefault();
      el.form.requestSubmit($('[name=press]', el.form));
      return;
    }
    if (e.key === 'Escape' && typing(el)) { el.blur(); el.closest('.card')?.focus({ preventScroll: true }); return; }
    if (e.ctrlKey || e.metaKey || e.altKey || typing(el)) return;
    const did = /^[0-9]$/.test(e.key) ? digit(e.key) : keys[e.key]?.();
    if (did) e.preventDefault();
  });

  // ---- Small helps inside a card.

  document.addEventListener('input', (e) => {
    const el = e.target;
    if (el.matches('.filter input')) sift(el);
    if (el.matches('textarea[data-max]')) count(el);
    if (el.name === 'chosen') picked(el.form);
  });

  document.addEventListener('toggle', (e) => {
    if (e.target.matches?.('details.own') && e.target.open && !typing(document.activeElement)) $('textarea', e.target)?.focus();
  }, true);

  function sift(input) {
    const card = input.closest('.card');
    const want = input.value.trim().toLocaleLowerCase(lang);
    let left = 0;
    for (const li of $$('.options > li', card)) {
      const shown = li.textContent.toLocaleLowerCase(lang).includes(want);
      li.hidden = !shown && !$(':checked', li); // what is chosen stays in sight
      if (shown) left++;
    }
    $('.nomatch', card).hidden = left > 0;
  }

  function count(text) {
    const n = [...text.value].length;
    const max = Number(text.dataset.max);
    const out = $('[data-part=count]', text.form);
    out.textContent = n > max * 0.9 ? words.long.replace('##', max).replace('#', n) : '';
    text.setAttribute('aria-invalid', String(n > max));
  }

  function picked(form) {
    const n = $$(':checked', form).length;
    $('[data-part=picked]', form).textContent = n ? '· ' + words.picked.replace('#', n) : '';
  }

  function showFilters() {
    for (const f of $$('.filter')) f.hidden = false;
  }

  const keysButton = $('#keys-button');
  if (keysButton) {
    keysButton.hidden = false;
    keysButton.addEventListener('click', help);
  }
  for (const form of $$('form[data-words]')) if ($('[data-part=picked]', form)) picked(form);
  showFilters();
  tellTimes();
  setInterval(tellTimes, 30000);
  if ($('#say .say')) silence = setTimeout(() => $('#say').replaceChildren(), 10000);
  live(document.body.dataset.live);
})();
