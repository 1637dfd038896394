import type { Location, PageAnswer, PageParams, PositionParams, ReferenceParams, Target } from "@symposium-dev/core";
import { answered, askAbout, type OperationContext } from "./operation-context.js";
import { page } from "./page.js";
import { sortedLocations, toTarget, wireList } from "./wire-places.js";

interface LocationQuestion {
  readonly method: string;
  readonly context?: object;
  readonly needsWhole: boolean;
}

/** What the server answers, each place once and sorted. */
async function locations(
  context: OperationContext,
  params: PositionParams & PageParams,
  question: LocationQuestion,
  signal: AbortSignal,
): Promise<PageAnswer<Target>> {
  const { method, needsWhole } = question;
  const asked = { position: params.position, ...(question.context && { context: question.context }) };
  const reply = await askAbout(context, { uri: params.uri, method, params: asked, needsWhole }, signal);
  const { value, state } = answered(reply, method);
  const found = wireList(value)
    .map(toTarget)
    .filter((one) => one !== undefined);
  return page(sortedLocations(found), params, state);
}

type Params = PositionParams & PageParams;
type Targets = Promise<PageAnswer<Target>>;

/** Where a symbol is defined. Found while the server still reads, it is true all the same. */
export function definition(context: OperationContext, params: Params, signal: AbortSignal): Targets {
  return locations(context, params, { method: "textDocument/definition", needsWhole: false }, signal);
}

/** Where the type of an expression is defined. */
export function typeDefinition(context: OperationContext, params: Params, signal: AbortSignal): Targets {
  return locations(context, params, { method: "textDocument/typeDefinition", needsWhole: false }, signal);
}

/** Where a symbol is used. A part of the list would mislead, so the server reads the workspace first. */
export function references(
  context: OperationContext,
  params: ReferenceParams & PageParams,
  signal: AbortSignal,
): Promise<PageAnswer<Location>> {
  const { includeDeclaration } = params;
  return locations(
    context,
    params,
    { method: "textDocument/references", context: { includeDeclaration }, needsWhole: true },
    signal,
  );
}

/** What implements a trait, an interface or one of their methods. */
export function implementations(context: OperationContext, params: Params, signal: AbortSignal): Targets {
  return locations(context, params, { method: "textDocument/implementation", needsWhole: true }, signal);
}
