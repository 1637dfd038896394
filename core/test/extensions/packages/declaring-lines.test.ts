import assert from "node:assert/strict";
import { golang } from "../../../src/extensions/packages/go/go-declarations.js";
import { java } from "../../../src/extensions/packages/jvm/jvm-declarations.js";
import { python } from "../../../src/extensions/packages/python/python-items.js";
import { DeclaringLines } from "../../../src/extensions/packages/text/declaring-lines.js";

describe("lines that declare names", () => {
  it("are read in one pass, however the file was made", function () {
    this.timeout(120_000);
    const texts = [
      "/*".repeat(200_000),
      "`".repeat(200_001),
      '"""'.repeat(100_001),
      "(".repeat(400_000),
      "x = \\\n".repeat(100_000),
      `type A struct {\n${"\tB struct {\n".repeat(50_000)}`,
      `func (${"a".repeat(500_000)}`,
      "class A(B):\n".repeat(50_000),
      `class A { ${"class A { ".repeat(20_000)}`,
      `${"    ".repeat(1_000)}def a():\n`.repeat(100),
      `def a(): ...\n${"\n# x".repeat(100_000)}\ndef b(): ...`,
    ];
    for (const text of texts) {
      const start = process.cpuUsage().user;
      for (const declaring of [golang, java, python]) {
        const lines = new DeclaringLines("a", text, declaring);
        assert.ok(lines.named("A").length >= 0 && lines.memberNames(0).length >= 0 && lines.item(0).line === 1);
      }
      const seconds = (process.cpuUsage().user - start) / 1e6;
      assert.ok(seconds < 10, `${text.slice(0, 20)}: ${seconds} s`);
    }
  });

  it("are those of records, generic methods, fields with values and text blocks", () => {
    const text =
      'public record Point<T>(int x, int y) implements Shape {\n  static final String TEXT = """\n    } class No {\n    """;\n  public <A, B> Map<A, B> both(A a) { return null; }\n  char c = \'{\';\n}\n';
    const lines = new DeclaringLines("Point.java", text, java);
    assert.deepEqual(lines.named("Point"), [0]);
    assert.deepEqual(lines.memberNames(0), ["TEXT", "both", "c"]);
    assert.deepEqual(lines.members(0, "both"), [4]);
  });

  it("show long types with a line for each member, and the beginning of long functions", () => {
    const body = (count: number): string => "        x = 1\n".repeat(count);
    const text = `class A:\n    """It."""\n\n    def one(self):\n${body(50)}    @property\n    def two(self) -> int: ...\n    def _own(self): ...\n`;
    const lines = new DeclaringLines("a.py", text, python);
    const shown = 'class A:\n    """It."""\n    def one(self):\n    def two(self) -> int: ...';
    assert.equal(lines.item(0).text, shown);
    const one = lines.item(3).text.split("\n");
    assert.deepEqual([one.length, one.at(-1)], [41, "… 11 more lines"]);
  });
});
