import { asObject, type LmMessage, type LmPart, messageOf, stringOf } from "@symposium-dev/core";
import { wellFormedText } from "./well-formed.js";

interface ParticipantRequest {
  readonly prompt: string;
  readonly references: readonly { readonly id?: string; readonly value: unknown }[];
}

/** Reference that the editor's chat attaches to every request: skills and agents that only its own tools can use. */
const editorsIndex = "vscode.customizations.index";

interface ParticipantAnswer {
  readonly response: readonly unknown[];
  readonly result: { readonly metadata?: Readonly<Record<string, unknown>> };
}

export function participantMessages(
  history: readonly (ParticipantRequest | ParticipantAnswer)[],
  request: ParticipantRequest,
): Promise<LmMessage[]> {
  return Promise.all(
    [...history, request].map(async (turn): Promise<LmMessage> => {
      if ("prompt" in turn) {
        const text = { type: "text", value: wellFormedText(textOf(turn)) } as const;
        return { role: "user", content: [text, ...(await dataOf(turn))] };
      }
      return { role: "assistant", content: [{ type: "text", value: wellFormedText(markdownOf(turn)) }] };
    }),
  );
}

export function conversationOf(history: readonly (ParticipantRequest | ParticipantAnswer)[]): string | undefined {
  for (const turn of [...history].reverse()) {
    const id = "result" in turn ? turn.result.metadata?.["conversationId"] : undefined;
    if (typeof id === "string") return id;
  }
  return undefined;
}

/** Returns the titles of the agent's tool calls, which its thinking lists as bracketed lines. */
export function toolTitles(thinking: string): string[] {
  return [...thinking.matchAll(/^\[([^\n]+)\]$/gm)].map(([, title = ""]) => title);
}

function textOf({ prompt, references }: ParticipantRequest): string {
  const named = references.flatMap(({ id, value }) => (id === editorsIndex ? [] : (referenceText(value) ?? [])));
  return named.length === 0 ? prompt : `${prompt}\n\nAttached:\n${named.map((line) => `- ${line}`).join("\n")}`;
}

/** Reads attached images, whose bytes the editor loads on request. */
async function dataOf({ references }: ParticipantRequest): Promise<LmPart[]> {
  const parts = references.map(async ({ value }): Promise<LmPart[]> => {
    const members = asObject(value);
    const mimeType = stringOf(members?.["mimeType"]);
    if (mimeType === undefined || typeof members?.["data"] !== "function") return [];
    try {
      const bytes: unknown = await (members as { readonly data: () => unknown }).data();
      if (!(bytes instanceof Uint8Array)) return [];
      return [{ type: "data", mimeType, data: Buffer.from(bytes).toString("base64") }];
    } catch (thrown) {
      return [{ type: "text", value: `\n\n[Can't read an attachment: ${messageOf(thrown)}]` }];
    }
  });
  return (await Promise.all(parts)).flat();
}

/** Formats a file, a file range (1-based lines) or a text. */
function referenceText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  const members = asObject(value);
  const path = stringOf(members?.["fsPath"]);
  if (path !== undefined) return path;
  const uri = stringOf(asObject(members?.["uri"])?.["fsPath"]);
  if (uri === undefined) return undefined;
  const range = asObject(members?.["range"]);
  const [start, end] = [range?.["start"], range?.["end"]].map((place) => asObject(place)?.["line"]);
  return typeof start === "number" && typeof end === "number" ? `${uri}, lines ${start + 1} to ${end + 1}` : uri;
}

function markdownOf({ response }: ParticipantAnswer): string {
  return response
    .map((part) => {
      const value = asObject(part)?.["value"];
      return stringOf(value) ?? stringOf(asObject(value)?.["value"]) ?? "";
    })
    .join("");
}
