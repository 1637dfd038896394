import {
  type CodeAction,
  type CodeActionParams,
  comparePositions,
  type EditAnswer,
  type PageAnswer,
  type PageParams,
  type Range,
  type ResolveParams,
  stringOf,
  SymposiumError,
  textOf,
  normalFileUri,
  pageOf,
} from "@symposium-dev/core";
import {
  CodeActionRequest,
  CodeActionResolveRequest,
  CodeActionTriggerKind,
} from "vscode-languageserver-protocol/node";
import type { ServerRequest } from "../connection/language-server.js";
import { fromServer } from "../connection/position-encoding.js";
import { answered, askAbout, type OperationContext, type StoredAction } from "./operation-context.js";
import { refusedBy, toWorkspaceEdit } from "./edits.js";
import { toRange, type Wire, wireList, wireObject } from "./wire-places.js";

/** Request parameters with diagnostics exactly as the server sent them, since they are returned to the server. */
interface Asked {
  readonly range: Range;
  readonly context: { readonly diagnostics: readonly object[]; readonly only?: readonly string[] };
}

export async function codeActions(
  context: OperationContext,
  params: CodeActionParams & PageParams,
  signal: AbortSignal,
): Promise<PageAnswer<CodeAction>> {
  const uri = normalFileUri(params.uri);
  const request: ServerRequest<Asked> = CodeActionRequest.type;
  // Get the document's diagnostics first, since servers offer quick fixes only for diagnostics in the request.
  await context.diagnostics.check(context, uri, signal).catch(() => undefined);
  const diagnostics = context.diagnostics.rawOf(uri).filter((one) => touches(toRange(one["range"]), params.range));
  const asked = {
    range: params.range,
    context: {
      diagnostics,
      triggerKind: CodeActionTriggerKind.Invoked,
      ...(params.only && { only: params.only }),
    },
  };
  const reply = await askAbout(context, { uri, request, params: asked, needsWhole: true }, signal);
  const { value, state } = answered(reply, request);
  if (reply.kind !== "answered") return pageOf([], params, state);
  const { server, documents } = reply.running;
  const version = documents.shown(uri)?.version;
  const actions = wireList(value).map((action) =>
    toAction(action, context.codeActions.put({ action, uri, server, version })),
  );
  return pageOf(actions, params, state);
}

/**
 * Returns the edit of a code action without applying it. A code action that consists of a command has no edit, since the command itself
 * would make changes.
 */
export async function resolveCodeAction(
  context: OperationContext,
  { id }: ResolveParams,
  signal: AbortSignal,
): Promise<EditAnswer> {
  const stored = context.codeActions.get(id);
  // Open the document again, to detect typing and writes on disk since the actions were listed.
  const running = stored && (await context.workspace.open(context.view, stored.uri));
  if (
    !stored ||
    running === undefined ||
    !("server" in running) ||
    running.server !== stored.server ||
    running.documents.shown(stored.uri)?.version !== stored.version
  ) {
    throw new SymposiumError(
      "ide-operation-failed",
      `The code action "${id}" no longer exists.`,
      "Request the code actions again.",
    );
  }
  const { state } = running.server.readiness;
  try {
    const resolved = wireObject("edit" in stored.action ? stored.action : await resolve(context, stored, signal));
    if (resolved["edit"] !== undefined) return { state, edit: toWorkspaceEdit(resolved["edit"]) };
    return { state, edit: null, refusal: "It is a command and would run without a preview." };
  } catch (error) {
    return refusedBy(error, context, stored.uri);
  }
}

async function resolve(
  context: OperationContext,
  { action, server, uri }: StoredAction,
  signal: AbortSignal,
): Promise<unknown> {
  if (server.capabilities.optionsOf(CodeActionRequest.method)?.["resolveProvider"] !== true) return action;
  const resolved = await server.request<object>(CodeActionResolveRequest.type, action, signal);
  return fromServer(server.encoding, resolved, uri, (document, line) => context.view.lineOf(document, line));
}

function toAction(action: Wire, id: string): CodeAction {
  const kind = stringOf(action["kind"]);
  const disabled = stringOf(wireObject(action["disabled"])["reason"]);
  return {
    id,
    title: textOf(action["title"]),
    ...(kind !== undefined && { kind }),
    ...(action["isPreferred"] === true && { isPreferred: true }),
    ...(disabled !== undefined && { disabled }),
  };
}

function touches(a: Range, b: Range): boolean {
  return comparePositions(a.start, b.end) <= 0 && comparePositions(b.start, a.end) <= 0;
}
