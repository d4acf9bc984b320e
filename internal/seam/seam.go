// Package seam is the contract of bridge and the one place where an ask waits.
//
// It holds the words (question, request, answer, record, press, verdict), the error taxonomy, the ports that other rooms
// fill, and Seam, which takes a request from a door to its end. Every arrow between rooms ends here.
//
// It is not a store, a door or an answerer: it knows no button, no Redis, no MCP and no HTTP, and imports the standard
// library only.
package seam
