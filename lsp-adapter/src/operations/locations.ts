import { stringOf, pageOf } from "@symposium-dev/core";
import type {
  HoverAnswer,
  Location,
  PageAnswer,
  PageParams,
  PositionParams,
  ReferenceParams,
  Target,
} from "@symposium-dev/core";
import {
  DefinitionRequest,
  HoverRequest,
  ImplementationRequest,
  ReferencesRequest,
  type TextDocumentPositionParams,
  TypeDefinitionRequest,
} from "vscode-languageserver-protocol/node";
import type { ServerRequest } from "../connection/language-server.js";
import { answered, askAbout, type OperationContext } from "./operation-context.js";
import { sortedLocations, toTarget, wireList, wireObject } from "./wire-places.js";

interface LocationQuestion<P> {
  readonly request: ServerRequest<P>;
  readonly params: Omit<P, "textDocument">;
  readonly needsWhole: boolean;
}

/** Returns the server's locations sorted, without duplicates. */
async function locations<P extends object>(
  context: OperationContext,
  params: PositionParams & PageParams,
  question: LocationQuestion<P>,
  signal: AbortSignal,
): Promise<PageAnswer<Target>> {
  const reply = await askAbout(context, { uri: params.uri, ...question }, signal);
  const { value, state } = answered(reply, question.request);
  const found = wireList(value)
    .map(toTarget)
    .filter((one) => one !== undefined);
  return pageOf(sortedLocations(found), params, state);
}

type Find = (
  context: OperationContext,
  params: PositionParams & PageParams,
  signal: AbortSignal,
) => Promise<PageAnswer<Target>>;

const find = (request: ServerRequest<TextDocumentPositionParams>, needsWhole: boolean): Find => {
  return (context, params, signal) =>
    locations(context, params, { request, params: { position: params.position }, needsWhole }, signal);
};

/** Finds a symbol's definition. Doesn't wait until the server has read the workspace, since a definition found earlier is correct. */
export const definition = find(DefinitionRequest.type, false);
export const typeDefinition = find(TypeDefinitionRequest.type, false);
/** Finds implementations of a trait, an interface or one of their methods. */
export const implementations = find(ImplementationRequest.type, true);

/** Finds a symbol's uses. Waits until the server has read the workspace, since a partial list would mislead. */
export function references(
  context: OperationContext,
  params: ReferenceParams & PageParams,
  signal: AbortSignal,
): Promise<PageAnswer<Location>> {
  const { position, includeDeclaration } = params;
  const asked = { position, context: { includeDeclaration } };
  return locations(context, params, { request: ReferencesRequest.type, params: asked, needsWhole: true }, signal);
}

/** Returns the server's information about a symbol as Markdown. */
export async function hover(
  context: OperationContext,
  params: PositionParams,
  signal: AbortSignal,
): Promise<HoverAnswer> {
  const { uri, position } = params;
  const request = HoverRequest.type;
  const reply = await askAbout(context, { uri, request, params: { position }, needsWhole: false }, signal);
  const { value, state } = answered(reply, request);
  const text = textOf(wireObject(value)["contents"]).trim();
  return { state, text: text === "" ? null : text };
}

/** Returns the text of hover contents: `MarkupContent`, or an older form such as a text, a code block, or a list of both. */
function textOf(contents: unknown): string {
  if (Array.isArray(contents)) return contents.map(textOf).join("\n\n");
  if (typeof contents === "string") return contents;
  const { language, value } = wireObject(contents);
  const text = stringOf(value) ?? "";
  return typeof language === "string" ? `\`\`\`${language}\n${text}\n\`\`\`` : text;
}
