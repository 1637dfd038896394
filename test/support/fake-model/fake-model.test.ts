import assert from "node:assert/strict";
import { useTestScope } from "../test-scope.js";
import { startFakeModel } from "./fake-model.js";
import { say } from "./script.js";

const tools = [{ type: "function", function: { name: "bash", parameters: { type: "object", properties: {} } } }];

describe("a fake model that begins another script", () => {
  const scope = useTestScope();

  it("keeps the conversations of the script before away from it, and from its requests", async () => {
    const model = scope().use(await startFakeModel({ script: [] }));
    const answerTo = async (content: string): Promise<string> => {
      const body = JSON.stringify({ model: "m1", messages: [{ role: "user", content }], tools });
      return (await fetch(`${model.url}/v1/chat/completions`, { method: "POST", body })).text();
    };
    model.begin([say("the first story")], "Tell the first.");
    const first = await answerTo("Tell the first. Go on.");
    model.begin([say("the second story")], "Tell the second.");
    const late = await answerTo("Tell the first. Suggest what to say next.");
    const second = await answerTo("Tell the second.");
    assert.deepEqual(
      {
        first: first.includes("the first story"),
        late: late.includes("story"),
        second: second.includes("the second story"),
        recorded: model.requests.map(({ userText }) => userText),
      },
      { first: true, late: false, second: true, recorded: ["Tell the second."] },
    );
  });
});
