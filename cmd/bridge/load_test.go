//go:build load

package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// blocked is how many calls wait at once. Each costs a descriptor here and one in the daemon.
const blocked = 10_000

// budget is what a blocked call may cost, in KiB of resident memory, garbage that was not collected yet included. The
// design's target is 32; this guards what was reached.
const budget = 64

// TestLoad blocks many HTTP calls on one daemon in a process of its own, answers every one, and finds the daemon as it
// was before: goroutines back to the start, memory per call within its budget.
func TestLoad(t *testing.T) {
	d := startDaemon(t)
	before := d.gauge("go_goroutines")
	idle := d.gauge("process_resident_memory_bytes")

	transport := &http.Transport{MaxIdleConnsPerHost: -1, DisableKeepAlives: true}
	client := &http.Client{Transport: transport}
	var calls sync.WaitGroup
	failures := make(chan error, blocked)
	slots := make(chan struct{}, 200) // connections being opened at once
	for i := range blocked {
		slots <- struct{}{}
		opened := sync.OnceFunc(func() { <-slots })
		calls.Go(func() {
			defer opened()
			if err := d.ask(client, i, opened); err != nil {
				failures <- err
			}
		})
	}
	ids := d.pending(blocked)
	full := d.gauge("process_resident_memory_bytes")
	perCall := (full - idle) / blocked / 1024
	for _, name := range []string{"stack_inuse", "heap_inuse", "heap_alloc", "heap_idle", "heap_released", "sys"} {
		t.Logf("%s: %.1f KiB a call", name, d.gauge("go_memstats_"+name+"_bytes")/blocked/1024)
	}
	t.Logf("%d blocked calls: %.1f KiB each, %.0f goroutines", len(ids), perCall, d.gauge("go_goroutines"))
	if perCall > budget {
		t.Errorf("a blocked call costs %.1f KiB, at most %d are allowed", perCall, budget)
	}

	work := make(chan string)
	var people sync.WaitGroup
	for range 64 {
		people.Go(func() {
			for id := range work {
				if err := d.answer(id); err != nil {
					failures <- err
				}
			}
		})
	}
	for _, id := range ids {
		work <- id
	}
	close(work)
	people.Wait()
	calls.Wait()
	close(failures)
	n := 0
	for err := range failures {
		if n++; n <= 5 {
			t.Error(err)
		}
	}
	if n > 0 {
		t.Fatalf("%d calls failed", n)
	}
	http.DefaultClient.CloseIdleConnections()
	d.waitFor("goroutines to end", func() bool { return d.gauge("go_goroutines") <= before+10 })
}

type daemon struct {
	t      *testing.T
	url    string
	agent  string // token
	person string // token
}

func startDaemon(t *testing.T) *daemon {
	t.Helper()
	dir := t.TempDir()
	bin := filepath.Join(dir, "bridge")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	d := &daemon{t: t, agent: "agent-secret-of-the-load-test", person: "person-secret-of-the-load-test"}
	line := func(name, scope, secret string) string {
		sum := sha256.Sum256([]byte(secret))
		return fmt.Sprintf("%s %s %s\n", name, scope, hex.EncodeToString(sum[:]))
	}
	tokens := filepath.Join(dir, "tokens")
	if err := os.WriteFile(tokens, []byte(line("ci", "ask", d.agent)+line("ann", "answer", d.person)), 0o600); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(dir, "state")
	cmd := exec.Command(bin, "serve")
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "BRIDGE_LISTEN=127.0.0.1:0", "BRIDGE_STATE_DIR=" + state,
		"BRIDGE_TOKENS_FILE=" + tokens, "BRIDGE_CALLER_OPEN=20000",
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	d.waitFor("the daemon", func() bool {
		raw, err := os.ReadFile(filepath.Join(state, "url"))
		if err != nil {
			return false
		}
		d.url = strings.TrimSpace(string(raw))
		resp, err := http.Get(d.url + "/readyz")
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return d
}

// waitFor asks again and again, for at most two minutes.
func (d *daemon) waitFor(what string, ok func() bool) {
	d.t.Helper()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(2 * time.Minute)
	for !ok() {
		select {
		case <-ticker.C:
		case <-deadline:
			d.t.Fatal("waited in vain for", what)
		}
	}
}

func (d *daemon) request(method, path, token, body string) *http.Request {
	r, err := http.NewRequest(method, d.url+path, strings.NewReader(body))
	if err != nil {
		d.t.Error(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	return r
}

func (d *daemon) ask(client *http.Client, i int, opened func()) error {
	body := fmt.Sprintf(`{"questions":[{"id":"q","question":"Question %d?","options":[{"label":"Yes"},{"label":"No"}]}]}`, i)
	time.AfterFunc(time.Second, opened)
	resp, err := client.Do(d.request("POST", "/v1/ask", d.agent, body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK || !bytes.Contains(raw, []byte(`"answers":[{"id":"q","selected":["Yes"]}]`)) {
		return fmt.Errorf("call %d: %s %s", i, resp.Status, raw)
	}
	return nil
}

func (d *daemon) answer(id string) error {
	resp, err := http.DefaultClient.Do(d.request("POST", "/v1/requests/"+id+"/answers", d.person,
		`{"answers":[{"id":"q","selected":["Yes"]}]}`))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("answer %s: %s %s", id, resp.Status, raw)
	}
	return nil
}

// pending waits until n requests are open and gives their ids.
func (d *daemon) pending(n int) (ids []string) {
	d.waitFor(fmt.Sprint(n, " open requests"), func() bool {
		ids = ids[:0]
		for cursor := ""; ; {
			resp, err := http.DefaultClient.Do(d.request("GET", "/v1/requests?status=pending&limit=200&cursor="+cursor, d.person, ""))
			if err != nil {
				return false
			}
			var page struct {
				Requests []struct{ Request string }
				Cursor   string
			}
			err = json.NewDecoder(resp.Body).Decode(&page)
			_ = resp.Body.Close()
			if err != nil {
				return false
			}
			for _, r := range page.Requests {
				ids = append(ids, r.Request)
			}
			if cursor = page.Cursor; cursor == "" {
				return len(ids) == n
			}
		}
	})
	return ids
}

// gauge reads one value of /metrics.
func (d *daemon) gauge(name string) float64 {
	resp, err := http.Get(d.url + "/metrics")
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if v, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			f, _ := strconv.ParseFloat(v, 64)
			return f
		}
	}
	d.t.Fatal("no metric ", name)
	return 0
}
