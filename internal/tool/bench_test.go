package tool_test

import (
	"fmt"
	"net"
	"runtime"
	"testing"
)

// BenchmarkBlockedCall reports what a blocked call of the HTTP door costs, heap and stacks, the test's end of the
// connection included. The design's target is 32 KiB.
func BenchmarkBlockedCall(b *testing.B) {
	const calls = 500
	for b.Loop() {
		h := open(b)
		body := keyed("k")
		ask := fmt.Sprintf("POST /v1/ask HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", ci, len(body), body)
		begin := func() {
			conn, err := net.Dial("tcp", h.server.Listener.Addr().String())
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = conn.Close() })
			if _, err := conn.Write([]byte(ask)); err != nil {
				b.Fatal(err)
			}
			<-h.asker.entered
		}
		begin()
		before := memory()
		for range calls {
			begin()
		}
		b.ReportMetric(float64(memory()-before)/calls, "B/call")
	}
}

func memory() uint64 {
	for range 4 { // stacks shrink by half with each collection
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
