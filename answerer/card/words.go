package card

import "strings"

// Words are the sentences for people in one language. The zero value is English.
type Words struct{ column int }

// The columns of the table.
const (
	english = iota
	chinese
	locales
)

// WordsFor are the words of a locale (LOCALE). One that the table does not have is English.
func WordsFor(locale string) Words {
	if strings.HasPrefix(strings.ToLower(locale), "zh") {
		return Words{chinese}
	}
	return Words{english}
}

// phrase names a row of the table.
type phrase int

const (
	// Controls. Slack takes 75 code points on a button, Discord 80.
	labelOther phrase = iota
	labelAnswer
	labelChoose
	labelSkip
	labelNone
	labelDismiss
	markRecommended

	// The second question. Slack: title 100, text 300, buttons 30.
	skipTitle
	skipText
	dismissTitle
	dismissTitleAll
	dismissText
	dismissTextAll
	confirmNo

	// The form. Slack: title and buttons 24. Discord: title and labels 45.
	formTitle
	formAnswer
	formOwn
	formOwnToo
	formSubmit
	formCancel

	// The offer to the author of a reply.
	offerText
	offerOption
	offerYes
	extract

	// The foot.
	footAsker
	footNumber
	footPress
	footAnswer
	footChoose
	footOrReply
	footOrMention
	footByReply
	footByWords
	stop
	footThread
	partQuestion
	partOptions
	partDetail
	partAnswer
	dueDeadline
	dueDefault

	// What happened to a question.
	answered
	answeredBelow
	skipped
	votesFor
	votesForSkip
	votesCount
	detached
	somebody
	quoted
	listed
	clauses
	andAdded

	// What became of an answer.
	tellAnswered
	tellRecorded
	tellKept
	tellDelivered
	tellUncollected
	tellWithDefaults
	tellSkip
	tellNotUsed

	// How requests end otherwise.
	endDismissed
	endAborted
	endExpired
	endDefaulted
	endDefaultedBelow
	endAbandoned
	endFailed
	elsewhere

	// To the one who pressed: taken.
	taken
	takenSent
	takenKept
	takenBatch
	takenVote
	takenSkip
	takenDismissed
	takenUnused

	// To the one who pressed: refused, unknown.
	late
	lateEnded
	lateExpired
	lateClosed
	refusedNotAllowed
	refusedUnverified
	refusedEmpty
	refusedInvalid
	refusedTooLong
	refusedNotYours
	refusedGone
	unknown

	phrases // how many there are
)

// table holds every sentence that people are shown. {names} are filled in; what fills them is never searched again.
var table = [phrases][locales]string{
	labelOther:      {"Other…", "其他…"},
	labelAnswer:     {"Answer…", "填写答复…"},
	labelChoose:     {"Choose…", "选择…"},
	labelSkip:       {"Skip", "跳过"},
	labelNone:       {"None / skip", "都不选 / 跳过"},
	labelDismiss:    {"Dismiss", "驳回"},
	markRecommended: {"recommended", "推荐"},

	skipTitle:       {"Skip this question?", "跳过此问题？"},
	skipText:        {"The agent is told that you skipped it. This is final.", "智能体会得知您跳过了此问题。此操作无法撤销。"},
	dismissTitle:    {"Dismiss this question?", "驳回此问题？"},
	dismissTitleAll: {"Dismiss all {of} questions?", "驳回全部 {of} 个问题？"},
	dismissText: {
		"The agent is told that you dismissed it without answering. This is final.",
		"智能体会得知您未作答复即驳回。此操作无法撤销。",
	},
	dismissTextAll: {
		"This dismisses all {of} questions of the request, and answers already recorded will not be used. " +
			"The agent is told that you dismissed it. This is final.",
		"这会驳回该请求的全部 {of} 个问题，已记录的答复也不会被采用。智能体会得知您已驳回。此操作无法撤销。",
	},
	confirmNo: {"Keep it open", "暂不"},

	formTitle:  {"Your answer", "您的答复"},
	formAnswer: {"Your answer", "您的答复"},
	formOwn:    {"Your own words", "您自己的答复"},
	formOwnToo: {"Your own words (optional)", "补充说明（可不填）"},
	formSubmit: {"Send", "发送"},
	formCancel: {"Cancel", "取消"},

	offerText:   {"Send this as the answer?\n{what}", "将此作为答复发送？\n{what}"},
	offerOption: {"As the choice of {what}", "即选择 {what}"},
	offerYes:    {"Send as the answer", "作为答复发送"},
	extract:     {"{what} ({count} characters in all)", "{what}（共 {count} 个字符）"},

	footAsker:     {"Asked by {agent}", "提问者：{agent}"},
	footNumber:    {"question {n} of {of}", "第 {n} 题，共 {of} 题"},
	footPress:     {"Press a button", "请按按钮"},
	footAnswer:    {"Press “Answer…”", "请按“填写答复…”"},
	footChoose:    {"Press “Choose…”", "请按“选择…”"},
	footOrReply:   {"{how} or reply to this card.", "{how}，或回复此卡片。"},
	footOrMention: {"{how} or mention me in a reply to this card.", "{how}，或在回复此卡片时提及我。"},
	footByReply:   {"Reply to this card with an option or its number, or in your own words.", "请回复此卡片：写出选项或其编号，或用您自己的话。"},
	footByWords:   {"Reply to this card with your answer.", "请回复此卡片写出您的答复。"},
	stop:          {".", "。"},
	footThread:    {"Complete in this card's thread: {parts}.", "完整内容见此卡片的消息列：{parts}。"},
	partQuestion:  {"the question", "问题"},
	partOptions:   {"the options", "选项"},
	partDetail:    {"the details", "详情"},
	partAnswer:    {"the answer", "答复"},
	dueDeadline:   {"Answer by", "请在此时间前答复："},
	dueDefault:    {"Unless somebody answers, the agent goes on with its default ({what}) at", "若无人答复，智能体将按默认答复（{what}）继续，时间："},

	answered:      {"{who} answered {what}", "{who} 答复了 {what}"},
	answeredBelow: {"{who} answered", "{who} 已答复"},
	skipped:       {"{who} skipped this question", "{who} 跳过了此问题"},
	votesFor:      {"{count} of {need} for {what} ({who})", "{what}：{count}/{need}（{who}）"},
	votesForSkip:  {"{count} of {need} for skipping ({who})", "跳过：{count}/{need}（{who}）"},
	votesCount:    {"{count} of {need} agree so far", "目前 {count}/{need} 人意见一致"},
	detached:      {"Still open: the agent disconnected, your answer will be kept", "仍可答复：智能体已断开连接，您的答复会被保留"},
	somebody:      {"Somebody", "有人"},
	quoted:        {"“{what}”", "“{what}”"},
	clauses:       {"; ", "；"},
	listed:        {", ", "、"},
	andAdded:      {"{what} and added {own}", "{what}，并补充 {own}"},

	tellAnswered:     {"{given}", "{given}"},
	tellRecorded:     {"{given} – recorded; sent when all {of} are answered", "{given} – 已记录；全部 {of} 题答复后一并发送"},
	tellKept:         {"{given} – kept until the agent asks again", "{given} – 已保留，待智能体再次询问"},
	tellDelivered:    {"{given} – kept, then delivered", "{given} – 曾保留，现已送达"},
	tellUncollected:  {"{given} – never collected by the agent", "{given} – 智能体一直没有取走"},
	tellWithDefaults: {"{given} – sent at the deadline, with defaults for the rest", "{given} – 截止时已发送，其余问题采用默认答复"},
	tellSkip:         {"a skip", "跳过"},
	tellNotUsed:      {"{ending} – not used: {given}", "{ending} – 未被采用：{given}"},

	endDismissed:      {"Dismissed by {who}", "已被 {who} 驳回"},
	endAborted:        {"Withdrawn: the agent stopped waiting", "已撤回：智能体不再等待"},
	endExpired:        {"Too late: the deadline passed", "太晚了：已过截止时间"},
	endDefaulted:      {"Too late: the deadline passed, the agent got its default ({what})", "太晚了：已过截止时间，智能体采用了默认答复（{what}）"},
	endDefaultedBelow: {"Too late: the deadline passed, the agent got its default", "太晚了：已过截止时间，智能体采用了默认答复"},
	endAbandoned:      {"The agent went away", "智能体已离开"},
	endFailed:         {"Not asked: the request could not be delivered", "未提问：请求未能送达"},
	elsewhere:         {"Asked elsewhere", "已在别处提问"},

	taken:          {"Recorded.", "已记录。"},
	takenSent:      {"Recorded: {what}.", "已记录：{what}。"},
	takenKept:      {"Recorded: {what}. The agent is not connected; it gets the answer when it asks again.", "已记录：{what}。智能体未连接，再次询问时会收到答复。"},
	takenBatch:     {"Recorded: {what}. It is sent when all {of} are answered.", "已记录：{what}。全部 {of} 题答复后一并发送。"},
	takenVote:      {"Your vote is recorded: {votes}.", "您的意见已记录。{votes}。"},
	takenSkip:      {"Your skip is recorded.", "已记录：跳过。"},
	takenDismissed: {"Dismissed by {who}. The agent is told.", "已被 {who} 驳回，并会告知智能体。"},
	takenUnused:    {"Your answer was recorded, but it was not used. {ending}.", "您的答复已记录，但未被采用。{ending}。"},

	late:              {"Too late: {what}{when}.", "太晚了：{what}{when}。"},
	lateEnded:         {"Too late. {what}{when}.", "太晚了。{what}{when}。"},
	lateExpired:       {"Too late: the deadline passed{when}.", "太晚了：已过截止时间{when}。"},
	lateClosed:        {"Too late: this question is closed.", "太晚了：此问题已关闭。"},
	refusedNotAllowed: {"You may not answer this question. Nothing was changed.", "您无权答复此问题。未作任何更改。"},
	refusedUnverified: {
		"bridge could not verify whether you may answer this question. Nothing was changed; please try again later.",
		"bridge 无法核实您是否有权答复此问题。未作任何更改，请稍后再试。",
	},
	refusedEmpty:    {"Nothing is chosen and nothing is written: choose an option or write an answer.", "既未选择也未填写：请选择选项或填写答复。"},
	refusedInvalid:  {"That is no answer to this question. Nothing was changed; please use the controls on the card.", "这不是此问题的有效答复。未作任何更改，请使用卡片上的按钮。"},
	refusedTooLong:  {"Your text is too long: at most {max} characters. Nothing was changed.", "文字过长：最多 {max} 个字符。未作任何更改。"},
	refusedNotYours: {"Only the author of that reply may send it as the answer. Nothing was changed.", "只有该回复的作者才能将其作为答复发送。未作任何更改。"},
	refusedGone:     {"This question is no longer known here: it was closed some time ago. Nothing was changed.", "此问题早已关闭，这里已无记录。未作任何更改。"},
	unknown: {
		"bridge could not confirm; if this card does not change within a minute, press again.",
		"bridge 暂时无法确认；如果一分钟内此卡片没有变化，请再按一次。",
	},
}

// say fills a sentence of the table. with alternates names and values.
func (w Words) say(p phrase, with ...string) string {
	for i := 0; i < len(with); i += 2 {
		with[i] = "{" + with[i] + "}"
	}
	return strings.NewReplacer(with...).Replace(table[p][w.column])
}

func (w Words) list(items []string) string { return strings.Join(items, w.say(listed)) }

func (w Words) quote(s string) string { return w.say(quoted, "what", contain(oneLine(s))) }
