package web

import (
	"fmt"
	"strings"
)

// words are the page's own words in one language. What cards say is card.Words'.
type words struct{ column int }

const (
	english = iota
	chinese
	locales
)

func wordsFor(locale string) words {
	if strings.HasPrefix(strings.ToLower(locale), "zh") {
		return words{chinese}
	}
	return words{english}
}

// lang is the lang attribute of the pages.
func (w words) lang() string { return [locales]string{"en", "zh-Hans"}[w.column] }

// say fills a sentence of the table: {names} with their values. A count of one takes the sentence's own form, if it has
// one.
func (w words) say(key string, with ...any) string {
	var pairs []string
	for k := 0; k+1 < len(with); k += 2 {
		name, value := fmt.Sprint(with[k]), fmt.Sprint(with[k+1])
		if one := key + ".one"; name == "count" && value == "1" && table[one] != [locales]string{} {
			key = one
		}
		pairs = append(pairs, "{"+name+"}", value)
	}
	s, ok := table[key]
	if !ok {
		panic("web: no words for " + key)
	}
	return strings.NewReplacer(pairs...).Replace(s[w.column])
}

// table holds every sentence of the pages that is not a card's.
var table = map[string][locales]string{
	"inbox":   {"Inbox", "收件箱"},
	"product": {"bridge", "bridge"},
	"skip":    {"Skip to content", "跳到正文"},
	"signout": {"Sign out", "退出登录"},
	"back":    {"All questions", "全部问题"},
	"as":      {"Signed in as {person}", "已登录：{person}"},
	"keys":    {"Keyboard", "键盘操作"},

	"list.waiting":     {"{count} questions are waiting for you", "有 {count} 个请求等待您答复"},
	"list.waiting.one": {"One question is waiting for you", "有 1 个请求等待您答复"},
	"list.none":        {"Nothing is waiting", "没有待答复的请求"},
	"list.none.text": {
		"When an agent asks something, it appears here by itself. You can leave this page open.",
		"智能体提问时会自动出现在这里。您可以一直开着此页面。",
	},
	"list.pending": {"Waiting", "等待答复"},
	"list.ended":   {"Recently ended", "最近结束"},
	"list.older":   {"Older", "更早"},
	"list.newest":  {"Back to the newest", "回到最新"},

	"row.questions":  {"{of} questions", "{of} 个问题"},
	"row.progress":   {"{done} of {of} answered", "已答 {done}/{of}"},
	"row.plan":       {"Plan", "方案"},
	"row.away":       {"agent disconnected", "智能体已断开"},
	"row.all":        {"All {of} questions are settled", "全部 {of} 个问题均已有结果"},
	"request.others": {"Waiting", "等待答复"},
	"request.next":   {"Next: {what}", "下一个：{what}"},
	"request.done":   {"That was all. Nothing else is waiting.", "已全部处理，没有其他待答复的请求。"},

	"card.plan":    {"Plan to review", "待审阅的方案"},
	"card.detail":  {"Details", "详情"},
	"card.options": {"Options", "选项"},
	"card.answer":  {"The answer", "答复"},
	"card.chosen":  {"chosen", "已选"},
	"card.filter":  {"Find an option", "查找选项"},
	"card.nomatch": {"No option contains this.", "没有匹配的选项。"},
	"card.picked":  {"{count} chosen", "已选 {count} 项"},
	"card.unsent":  {"Not sent. This is what you had written:", "未发送。这是您写的内容："},
	"card.long":    {"{count} of {max} characters", "{count}/{max} 个字符"},
	"card.choose":  {"Choose one or more", "可选择一项或多项"},

	"live.lost":    {"Connection lost; trying again…", "连接已断开，正在重试…"},
	"live.new":     {"A new question has come in.", "有新的问题。"},
	"live.sending": {"Sending…", "正在发送…"},
	"live.unsaid": {
		"bridge did not answer. Nothing is lost: press again in a moment; the same press counts once.",
		"bridge 没有回应。内容没有丢失：请稍后再按一次，同一次操作只计一次。",
	},

	"keys.title":  {"Keyboard", "键盘操作"},
	"keys.move":   {"next, previous question", "下一个、上一个问题"},
	"keys.arrows": {"move between options or questions", "在选项或问题之间移动"},
	"keys.digit":  {"go to an option by its number (or tick it)", "按编号选中选项（或勾选）"},
	"keys.enter":  {"send what is marked", "发送所选内容"},
	"keys.words":  {"answer in your own words", "用自己的话答复"},
	"keys.send":   {"send what you have written", "发送所写内容"},
	"keys.skip":   {"skip, dismiss (asks once more)", "跳过、驳回（会再次确认）"},
	"keys.back":   {"back to all questions", "返回全部问题"},
	"keys.help":   {"this help", "显示此帮助"},
	"keys.close":  {"Close", "关闭"},

	"signin.title":  {"Sign in", "登录"},
	"signin.ready":  {"Sign in to the inbox", "登录收件箱"},
	"signin.press":  {"Your link is good for one sign-in of this browser. It is used when you press the button.", "此链接只能用于一次登录。按下按钮后即失效。"},
	"signin.button": {"Sign in", "登录"},
	"signin.how":    {"You need a sign-in link", "您需要一个登录链接"},
	"signin.text": {
		"The inbox shows what agents ask your team. It opens with a one-time link instead of a password.",
		"收件箱显示智能体向您的团队提出的问题。它使用一次性链接登录，不需要密码。",
	},
	"signin.serve": {"On the machine of the daemon: bridge serve prints a link on its terminal.", "在运行守护进程的机器上：bridge serve 会在终端打印链接。"},
	"signin.login": {"With an admin token, for yourself or somebody else (the link holds 10 minutes):", "持有管理员令牌时，可为自己或他人生成链接（10 分钟内有效）："},
	"signin.bad":   {"This link is no good any more", "此链接已失效"},
	"signin.bad.text": {
		"It was used before, or its ten minutes are over. Get a new one:",
		"它已被使用过，或已超过十分钟。请获取新的链接：",
	},
	"signin.person": {"NAME", "姓名"},

	"fail.home":          {"Back to the inbox", "返回收件箱"},
	"fail.nothing":       {"There is nothing here", "这里没有内容"},
	"fail.nothing.text":  {"The address or the form is not one of the inbox. Nothing was changed.", "该地址或表单不属于收件箱。未作任何更改。"},
	"fail.gone":          {"This request is no longer here", "此请求已不存在"},
	"fail.gone.text":     {"It was closed some time ago, or it never existed. Nothing was changed.", "它早已关闭，或从未存在。未作任何更改。"},
	"fail.store":         {"The store does not answer", "存储暂无响应"},
	"fail.store.text":    {"What was asked and answered is kept. Try again in a moment.", "已提出的问题和答复都已保存。请稍后再试。"},
	"fail.forged":        {"This form is not from here", "此表单并非来自本页面"},
	"fail.forged.text":   {"It came from another site, or its page is from an earlier sign-in. Nothing was changed; open the inbox again.", "它来自其他网站，或来自之前的登录。未作任何更改，请重新打开收件箱。"},
	"fail.host":          {"The inbox is not known by this name", "收件箱不接受此主机名"},
	"fail.host.text":     {"Open it by its own address. Its operator sets that in BRIDGE_PUBLIC_URL, and further hosts in BRIDGE_ALLOWED_HOSTS.", "请使用其自身地址打开。管理员可在 BRIDGE_PUBLIC_URL 中设置该地址，并在 BRIDGE_ALLOWED_HOSTS 中添加其他主机名。"},
	"fail.toolarge":      {"That is too much", "内容过大"},
	"fail.toolarge.text": {"The form is larger than the longest answer. Nothing was changed.", "表单大于答复的最大长度。未作任何更改。"},
	"fail.draft":         {"What you had written:", "您写的内容："},
	"broken":             {"The page could not be drawn.", "无法显示此页面。"},
}
