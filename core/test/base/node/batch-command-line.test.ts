import assert from "node:assert/strict";
import { batchArguments } from "../../../src/base/node/start-program.js";

const line = (...args: string[]): string | undefined => batchArguments("C:\\Program Files\\npx.cmd", args)?.at(-1);

describe("batchArguments", () => {
  it("runs the file through cmd.exe without its startup commands and delayed expansion", () => {
    assert.deepEqual(batchArguments("C:\\a b\\npx.cmd", ["-y", "pkg@1"]), [
      "/d",
      "/e:ON",
      "/v:OFF",
      "/s",
      "/c",
      '""C:\\a b\\npx.cmd" -y pkg@1"',
    ]);
  });

  const quoted: Record<string, string> = {
    "": '""',
    "a b": '"a b"',
    "a&calc": '"a&calc"',
    "a^b": '"a^b"',
    'say "hi" & calc': '"say ""hi"" & calc"',
    'back\\"': '"back\\\\"""',
    "C:\\dir\\": '"C:\\dir\\\\"',
    "%PATH%": '"%%cd:~,%PATH%%cd:~,%"',
    '{"a":1}': '"{""a"":1}"',
    "C:\\dir\\file.txt": "C:\\dir\\file.txt",
  };
  for (const [arg, expected] of Object.entries(quoted)) {
    it(`passes ${JSON.stringify(arg)} as one argument`, () => {
      assert.equal(line(arg), `""C:\\Program Files\\npx.cmd" ${expected}"`);
    });
  }

  it("refuses what no quoting can carry", () => {
    assert.deepEqual(
      [line("a\nb"), line("a\rb"), line("a\0b"), batchArguments('C:\\a".cmd', [])],
      Array(4).fill(undefined),
    );
  });
});
