import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { leaveOut } from "../../needs-cargo.js";
import { callTool, TestsStage } from "./tests-stage.js";

/** Each test runs the real runner, since runners print panics and causes differently in each version. */
describe("a report of tests", function () {
  this.timeout(120_000);
  let stage: TestsStage;
  beforeEach(async () => {
    stage = await TestsStage.open();
  });
  afterEach(() => stage[Symbol.asyncDispose]());

  it("has the place and message of a Go subtest's panic, and says what did not run", async function () {
    if (spawnSync("go", ["version"]).status !== 0) leaveOut(this, "go is not on the PATH");
    await stage.write({
      "go.mod": "module m.example/svc\n\ngo 1.21\n",
      "cart/cart.go": "package cart\n\nfunc first(items []int) int {\n\treturn items[0]\n}\n",
      "cart/cart_test.go": `package cart
import "testing"
func TestSum(t *testing.T) {
	t.Run("one", func(t *testing.T) {})
	t.Run("none", func(t *testing.T) { first(nil) })
	t.Run("later", func(t *testing.T) {})
}
func TestAfter(t *testing.T) {}
`,
    });
    assert.match(
      await callTool(stage.servers()[0], "run_tests"),
      /^go test: 1 failed, 1 passed, exit 1 \[t1\]\n1\) .*cart\/cart\.go:4 TestSum\/none\n panic: runtime error: index out of range \[0\] with length 0\n[^]*note: later tests of m\.example\/svc\/cart did not run/,
    );
  });

  it("has the causes and parts of a Python exception, here and in the detail", async function () {
    if (spawnSync("python3", ["-m", "pytest", "--version"]).status !== 0) leaveOut(this, "python3 has no pytest");
    if (spawnSync("python3", ["-c", "ExceptionGroup"]).status !== 0) leaveOut(this, "python3 has no exception groups");
    await stage.write({
      "pytest.ini": "[pytest]\n",
      "test_cart.py": `def test_cause():
    try:
        {}["price"]
    except KeyError as error:
        raise RuntimeError("cannot load") from error
def test_parts():
    raise ExceptionGroup("many", [ValueError("one"), TypeError("two")])
`,
    });
    const [server] = stage.servers();
    const text = await callTool(server, "run_tests");
    assert.match(
      text,
      /1\) test_cart\.py:5 test_cause\n RuntimeError: cannot load\n +caused by: KeyError: 'price' \(test_cart\.py:3\)/,
    );
    assert.match(
      text,
      /2\) test_cart\.py:7 test_parts\n ExceptionGroup: many[^]*part 1: ValueError: one\n +part 2: TypeError: two/,
    );
    assert.match(
      await callTool(server, "detail", { handle: "t1", index: 1 }),
      /caused by: KeyError: 'price' \(test_cart\.py:3\)/,
    );
    assert.match(await callTool(server, "detail", { handle: "t1", index: 2 }), /part 2: TypeError: two/);
  });
});
