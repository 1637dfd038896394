import type { Attributes } from "@opentelemetry/api";
import { updateKindIn } from "../../base/acp/session-message.js";
import { asObject, type Members, objectsOf, parsedObject, parsedValue, stringOf } from "../../base/rpc/json.js";

/** Maximum length of one content attribute, in UTF-16 code units. */
const longest = 64 * 1024;

/** Contents of a session's turns, collected only if the user switched this on. Masks known secrets. */
export class TurnContent {
  #prompt = "";
  #answer = "";

  constructor(private readonly mask: (text: string) => string) {}

  prompt(blocks: string): void {
    const texts = objectsOf(parsedValue(blocks)).flatMap(({ text }) => stringOf(text) ?? []);
    this.#prompt = texts.join("\n").slice(0, longest);
  }

  update(params: string): void {
    if (this.#answer.length >= longest || updateKindIn(params) !== "agent_message_chunk") return;
    const content = asObject(asObject(parsedObject(params)?.["update"])?.["content"]);
    this.#answer += stringOf(content?.["text"]) ?? "";
  }

  /** Returns the attributes of an ended turn, and forgets the turn. */
  take(finishReason = "error"): Attributes {
    const [prompt, answer] = [this.#prompt, this.#answer.slice(0, longest)];
    [this.#prompt, this.#answer] = ["", ""];
    return {
      "gen_ai.input.messages": JSON.stringify([{ role: "user", parts: [this.#part(prompt)] }]),
      "gen_ai.output.messages": JSON.stringify([
        { role: "assistant", parts: [this.#part(answer)], finish_reason: finishReason },
      ]),
    };
  }

  callOf({ rawInput }: Members): Attributes {
    if (rawInput === undefined) return {};
    return { "gen_ai.tool.call.arguments": this.mask(JSON.stringify(rawInput).slice(0, longest)) };
  }

  #part(content: string): Members {
    return { type: "text", content: this.mask(content) };
  }
}
