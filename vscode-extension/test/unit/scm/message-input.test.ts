import assert from "node:assert/strict";
import { placeMessage } from "../../../src/features/scm/message-input.js";

/** Places the message "Ready" in an input; `answers` are what the user does at each question. Returns the questions with the input then. */
async function placed(value: string, before: string, ...answers: readonly ((input: { value: string }) => boolean)[]) {
  const input = { value };
  const asked: string[] = [];
  const given = [...answers];
  const ask = (question: string) => () => {
    asked.push(`${question}: ${input.value}`);
    return Promise.resolve(given.shift()?.(input) ?? false);
  };
  await placeMessage(input, "Ready", before, { use: ask("use"), putBack: ask("put back") });
  return { asked, value: input.value };
}

const yes = () => true;

describe("a commit message that is ready", () => {
  it("is put into an empty input", async () => {
    assert.deepEqual(await placed("", ""), { asked: [], value: "Ready" });
  });

  it("takes the place of what stood there, which can be put back", async () => {
    assert.deepEqual(await placed("mine", "mine"), { asked: ["put back: Ready"], value: "Ready" });
    assert.deepEqual(await placed("mine", "mine", yes), { asked: ["put back: Ready"], value: "mine" });
  });

  it("leaves what the user has written meanwhile, unless it is wanted", async () => {
    assert.deepEqual(await placed("mine, more", "mine"), { asked: ["use: mine, more"], value: "mine, more" });
  });

  it("takes the place of what the user wrote until the answer, and that is what is put back", async () => {
    const goOn = (input: { value: string }) => ((input.value += ", and more"), true);
    assert.deepEqual(await placed("mine, more", "mine", goOn, yes), {
      asked: ["use: mine, more", "put back: Ready"],
      value: "mine, more, and more",
    });
  });

  it("is put back itself, as the user has changed it, where what stood there comes back", async () => {
    const edit = (input: { value: string }) => ((input.value = "Ready, but"), true);
    assert.deepEqual(await placed("mine", "mine", edit, yes), {
      asked: ["put back: Ready", "put back: mine"],
      value: "Ready, but",
    });
  });
});
