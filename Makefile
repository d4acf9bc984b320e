# The versions of the tools stand here and nowhere else. They are run from the module cache, nothing is installed.
GOFUMPT     := mvdan.cc/gofumpt@v0.12.0
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0

# Of one package. The slowest needs a fraction of it: a test that hangs is told with its goroutines, not by the runner.
TEST_TIMEOUT := 5m
# More flags for the tests: make test TESTFLAGS='-run TestAsk -v'
TESTFLAGS :=

.DEFAULT_GOAL := help
.PHONY: help deps build test test-load check fmt

help: ## print this list
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 12

deps: ## what the tests need of the machine; on Debian, as root, it installs what is missing
	@scripts/deps.sh

build: ## bin/bridge, one static file
	CGO_ENABLED=0 go build -trimpath -o bin/bridge ./cmd/bridge

test: deps ## all tests, with the race detector
	go test -race -timeout $(TEST_TIMEOUT) $(TESTFLAGS) ./...

test-load: ## thousands of blocked calls on one daemon: memory per call, and nothing left behind
	go test -tags load -count=1 -timeout 10m -run '^TestLoad$$' -v ./cmd/bridge

check: ## formatting, vet, staticcheck, module files, house rules, known vulnerabilities: what CI runs beside the tests
	@unformatted=$$(go run $(GOFUMPT) -l .) && test -z "$$unformatted" || { echo "run make fmt, not formatted: $$unformatted"; exit 1; }
	go vet ./...
	go vet -tags load ./cmd/bridge
	go run $(STATICCHECK) ./...
	go mod tidy -diff
	go mod verify
	go test ./internal/archtest
	@scripts/vuln.sh $(GOVULNCHECK)

fmt: ## format every Go file
	go run $(GOFUMPT) -l -w .
