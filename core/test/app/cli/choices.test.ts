import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { type AskingTerminal, chooseOne, chooseSeveral } from "../../../src/app/cli/choices.js";

const options = ["claude", "codex", "eliza"].map((value) => ({
  value,
  label: value.toUpperCase(),
  hint: `about ${value}`,
}));
const [down, space, enter, escape] = ["\u001b[B", " ", "\r", "\u0003"];

/** Types keys once the list is drawn. */
async function typed<T>(keys: readonly string[], ask: (terminal: AskingTerminal) => Promise<T>): Promise<T> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const drawn = new Promise<void>((resolve) => {
    let text = "";
    output.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("ELIZA")) resolve();
    });
  });
  const answer = ask({ input, output });
  await drawn;
  for (const key of keys) input.write(key);
  return answer;
}

describe("choices in a terminal", () => {
  it("are made by arrow keys", async () => {
    assert.equal(await typed([down, enter], (terminal) => chooseOne("Which?", options, terminal)), "codex");
  });

  it("are several by the space bar", async () => {
    const keys = [space, down, down, space, enter];
    const chosen = await typed(keys, (terminal) => chooseSeveral("Which ones?", options, terminal));
    assert.deepEqual(chosen, ["claude", "eliza"]);
  });

  it("are none for somebody who leaves", async () => {
    assert.equal(await typed([escape], (terminal) => chooseOne("Which?", options, terminal)), undefined);
    assert.deepEqual(await typed([space, escape], (terminal) => chooseSeveral("Which?", options, terminal)), []);
  });
});
