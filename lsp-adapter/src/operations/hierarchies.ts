import {
  type CallItem,
  type PageAnswer,
  type PageParams,
  type PositionParams,
  stringOf,
  type SymbolItem,
  textOf,
  worstState,
  normalFileUri,
  pageOf,
} from "@symposium-dev/core";
import {
  CallHierarchyIncomingCallsRequest,
  CallHierarchyOutgoingCallsRequest,
  CallHierarchyPrepareRequest,
  TypeHierarchyPrepareRequest,
  TypeHierarchySubtypesRequest,
  TypeHierarchySupertypesRequest,
  type TextDocumentPositionParams,
} from "vscode-languageserver-protocol/node";
import type { ServerRequest } from "../connection/language-server.js";
import { answered, askAbout, type OperationContext } from "./operation-context.js";
import { kindOf } from "./symbols.js";
import { toRange, type Wire, wireList, wireObject } from "./wire-places.js";

type Params = PositionParams & PageParams;

interface Hierarchy {
  readonly prepare: ServerRequest<TextDocumentPositionParams>;
  readonly request: ServerRequest<{ readonly item: object }>;
}

/** Prepares the hierarchy items at the position and sends `request` for each. Items are returned to the server unmodified. */
async function related<T>(
  context: OperationContext,
  params: Params,
  { prepare, request }: Hierarchy,
  read: (value: Wire) => T,
  signal: AbortSignal,
): Promise<PageAnswer<T>> {
  const { uri, position } = params;
  const prepared = await askAbout(context, { uri, request: prepare, params: { position }, needsWhole: true }, signal);
  const { value, state } = answered(prepared, prepare);
  const replies = await Promise.all(
    wireList(value).map((item) =>
      askAbout(context, { uri, request, support: prepare, params: { item }, needsWhole: true }, signal),
    ),
  );
  const answers = replies.map((reply) => answered(reply, request));
  const found = answers.flatMap((answer) => wireList(answer.value)).map(read);
  return pageOf(found, params, worstState([state, ...answers.map((answer) => answer.state)]));
}

type Related<T> = (context: OperationContext, params: Params, signal: AbortSignal) => Promise<PageAnswer<T>>;

const calls = (request: Hierarchy["request"], side: "from" | "to"): Related<CallItem> => {
  const hierarchy = { prepare: CallHierarchyPrepareRequest.type, request };
  return (context, params, signal) => related(context, params, hierarchy, (call) => callOf(call, side), signal);
};
const types = (request: Hierarchy["request"]): Related<SymbolItem> => {
  const hierarchy = { prepare: TypeHierarchyPrepareRequest.type, request };
  return (context, params, signal) => related(context, params, hierarchy, itemOf, signal);
};

export const incomingCalls = calls(CallHierarchyIncomingCallsRequest.type, "from");
export const outgoingCalls = calls(CallHierarchyOutgoingCallsRequest.type, "to");
export const supertypes = types(TypeHierarchySupertypesRequest.type);
export const subtypes = types(TypeHierarchySubtypesRequest.type);

function callOf(call: Wire, side: "from" | "to"): CallItem {
  return { symbol: itemOf(wireObject(call[side])), ranges: wireList(call["fromRanges"]).map(toRange) };
}

function itemOf(item: Wire): SymbolItem {
  const detail = stringOf(item["detail"]);
  return {
    name: textOf(item["name"]),
    kind: kindOf(item["kind"]),
    uri: normalFileUri(textOf(item["uri"])),
    range: toRange(item["range"]),
    selectionRange: toRange(item["selectionRange"]),
    ...(detail !== undefined && detail !== "" && { detail }),
  };
}
