import type { HoverAnswer, PositionParams } from "@symposium-dev/core";
import { answered, askAbout, type OperationContext } from "./operation-context.js";
import { wireObject, wireText } from "./wire-places.js";

/** What the server says about a symbol, as Markdown. */
export async function hover(
  context: OperationContext,
  params: PositionParams,
  signal: AbortSignal,
): Promise<HoverAnswer> {
  const method = "textDocument/hover";
  const asked = { position: params.position };
  const reply = await askAbout(context, { uri: params.uri, method, params: asked, needsWhole: false }, signal);
  const { value, state } = answered(reply, method);
  const text = textOf(wireObject(value)["contents"]).trim();
  return { state, text: text === "" ? null : text };
}

/** `MarkupContent`, or one of the older forms: a text, a piece of code, or a list of both. */
function textOf(contents: unknown): string {
  if (Array.isArray(contents)) return contents.map(textOf).join("\n\n");
  if (typeof contents === "string") return contents;
  const { language, value } = wireObject(contents);
  const text = wireText(value) ?? "";
  return typeof language === "string" ? `\`\`\`${language}\n${text}\n\`\`\`` : text;
}
