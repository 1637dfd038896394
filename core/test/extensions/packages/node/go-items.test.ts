import assert from "node:assert/strict";
import { SourcesStage } from "./sources-stage.js";

const environment = {
  GOMODCACHE: "/stage/cache",
  GOROOT: "/stage/none",
  GOENV: "/stage/go.env",
  GOFLAGS: "",
  GOWORK: "",
};
const foreign = process.platform === "win32" ? "linux" : "windows";

const project = {
  "go.mod": "module a\n\ngo 1.22\n\nrequire (\n\tlib.example/one v1.0.0\n\tlib.example/base/v2 v2.0.0\n)\n",
  "go.sum": "lib.example/one v1.0.0 h1:x=\nlib.example/base/v2 v2.0.0 h1:x=\n",
  "cache/lib.example/one@v1.0.0/one.go": `// Package one does it.
package one

import (
	"context"

	"lib.example/base/v2"
)

const raw = \`
func Hidden() {}
\`

// Modes of work.
const (
	// Fast is quick.
	Fast Mode = iota
	Slow
)

// Mode says how.
type Mode int

// Client asks, "}" and all.
type Client[T any] struct {
	base.Connection
	*local
	// Name is shown.
	Name, Alias string
	Hooks func(ctx context.Context) (
		T, error,
	)
}

// Do does it
// twice.
func (c *Client[T]) Do(ctx context.Context) (T, error) {
	var zero T
	return zero, nil // '}'
}

func (c Client[T]) private() {}

// Make makes one.
func Make[T any](name string) *Client[T] { return nil }

/*
Doer does.
*/
type Doer interface {
	// Run runs.
	Run(ctx context.Context) error
	base.Closer
}

type local struct{ Depth int }

func (*local) Deep() {}
`,
  [`cache/lib.example/one@v1.0.0/one_${foreign}.go`]: "package one\n\n// Make is of another system.\nfunc Make() {}\n",
  "cache/lib.example/one@v1.0.0/one_test.go": "package one\n\nfunc TestMake() {}\n",
  "cache/lib.example/one@v1.0.0/gen.go": "//go:build ignore\n\npackage main\n\nfunc Generate() {}\n",
  "cache/lib.example/base/v2@v2.0.0/base.go": `package base

// Connection is one.
type Connection struct{}

// Open opens.
func (Connection) Open() error { return nil }

// Closer closes.
type Closer interface {
	Close() error
}
`,
};

describe("what a package of Go declares", function () {
  this.timeout(120_000);

  let stage: SourcesStage;
  before(async () => {
    stage = await SourcesStage.open(project, environment);
  });
  after(() => stage[Symbol.asyncDispose]());

  const item = (symbol?: string) =>
    stage.call("package_item", { name: "lib.example/one", from: "main.go", ...(symbol !== undefined && { symbol }) });

  it("is listed by name: what is exported, and neither tests nor what is ignored", async () => {
    assert.match(await item(), /\nClient, Doer, Fast, Make, Mode, Slow$/);
  });

  it("is shown with documentation and place, methods of a type in a line each", async () => {
    assert.match(
      await item("Client"),
      /\n\none\.go:25\n\/\/ Client asks, "\}" and all\.\ntype Client\[T any\] struct \{\n.*\n\}\n\nfunc \(c \*Client\[T\]\) Do\(ctx context\.Context\) \(T, error\)$/s,
    );
    assert.match(await item("Fast"), /\n\none\.go:17\n\t\/\/ Fast is quick\.\n\tFast Mode = iota$/);
    assert.match(await item("Slow"), /\n\none\.go:18\n\tSlow$/);
    assert.match(await item("Doer"), /\n\none\.go:\d+\n\/\*\nDoer does\.\n\*\/\ntype Doer interface/);
  });

  it("is shown for this system before others", async () => {
    assert.match(await item("Make"), /\/\/ Make makes one\.\nfunc Make\[T any\].*\n\none_\w+\.go:4\n/s);
  });

  it("is found as a member: methods, fields, those of embedded types, those of other modules", async () => {
    assert.match(await item("Client.Do"), /\/\/ Do does it\n\/\/ twice\.\nfunc \(c \*Client\[T\]\) Do/);
    assert.match(await item("Client.Alias"), /\t\/\/ Name is shown\.\n\tName, Alias string$/);
    assert.match(await item("Client.Deep"), /func \(\*local\) Deep\(\) \{\}$/);
    assert.match(await item("Doer.Run"), /\t\/\/ Run runs\.\n\tRun\(ctx context\.Context\) error$/);
    const open = await item("Client.Open");
    assert.match(
      open,
      /lib\.example\/base\/v2 v2\.0\.0: \/stage\/cache\/lib\.example\/base\/v2@v2\.0\.0\/base\.go:7\n\/\/ Open opens\./,
    );
    assert.match(await item("Doer.Close"), /base\.go:\d+\n\tClose\(\) error$/);
    assert.match(await item("Client.Nothing"), /declares no "Client\.Nothing"/);
  });

  it("is found by a search, by kind", async () => {
    const found = await stage.call("package_search", {
      name: "lib.example/one",
      pattern: "^func",
      kind: "tests",
      from: "main.go",
    });
    assert.match(found, /\none_test\.go:3: func TestMake\(\) \{\}$/);
  });
});
