import * as z from "zod/mini";
import { canBypass, hasOwnAnswers, RequestFailure, RpcError } from "@symposium-dev/core";
import type { ItemOf, ToolContent } from "../../../protocol/index.js";
import type { AbilitySession } from "../../acp/client-abilities.js";
import type { CallEdit } from "../../acp/session-observers.js";
import { toToolContent } from "../../acp/tool-content.js";
import { editsOf } from "../../acp/tool-fold.js";

export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  /** Kind of the option: `allow_once`, `allow_always`, `reject_once`, `reject_always`, or another string from the agent. */
  readonly kind: string;
}

export interface PermissionRequest {
  readonly toolCallId: string;
  readonly title: string;
  readonly toolKind: string;
  readonly rawInput: unknown;
  readonly content: readonly ToolContent[];
  readonly edits?: readonly CallEdit[];
  /** Paths as sent: absolute, or relative to the working directory. */
  readonly locations: readonly { readonly path: string; readonly line?: number | undefined }[];
  readonly options: readonly PermissionOption[];
  /** True if the options themselves define how long an answer lasts, so that no rule is offered. */
  readonly hasOwnAnswers?: boolean;
  /** False if the organisation's policy forbids to bypass this request. */
  readonly canBypass?: boolean;
}

const wireOption = z.looseObject({ optionId: z.string(), name: z.nullish(z.string()), kind: z.nullish(z.string()) });
const wireLocation = z.looseObject({ path: z.string(), line: z.nullish(z.number()) });
const wireToolCall = z.looseObject({
  toolCallId: z.string(),
  title: z.nullish(z.string()),
  kind: z.nullish(z.string()),
  content: z.nullish(z.array(z.unknown())),
  locations: z.nullish(z.array(z.unknown())),
  rawInput: z.optional(z.unknown()),
});
const wireRequest = z.looseObject({ toolCall: wireToolCall, options: z.array(z.unknown()) });

/**
 * Parses the params of `session/request_permission`. Takes missing members from the transcript's tool call and skips unreadable parts;
 * throws if no option is left, since the request couldn't be answered.
 */
export function parsePermissionRequest(params: unknown, session: AbilitySession): PermissionRequest {
  const parsed = wireRequest.safeParse(params);
  if (!parsed.success) {
    throw new RequestFailure(RpcError.invalidParams("a permission request needs toolCall.toolCallId and options"));
  }
  const { toolCall } = parsed.data;
  const options = parsed.data.options.flatMap(toOption);
  if (options.length === 0) throw new RequestFailure(RpcError.invalidParams("a permission request needs an option"));
  const known = knownToolCall(session, toolCall.toolCallId);
  return {
    toolCallId: toolCall.toolCallId,
    title: toolCall.title ?? known?.title ?? toolCall.toolCallId,
    toolKind: toolCall.kind ?? known?.toolKind ?? "other",
    rawInput: toolCall.rawInput ?? inputOf(known),
    content: toolCall.content?.map(toToolContent) ?? known?.content ?? [],
    edits: editsOf(toolCall.content),
    locations: toolCall.locations?.flatMap(toPlace) ?? known?.locations ?? [],
    options,
    hasOwnAnswers: hasOwnAnswers(params),
    canBypass: canBypass(params),
  };
}

function toOption(value: unknown): PermissionOption[] {
  const parsed = wireOption.safeParse(value);
  if (!parsed.success) return [];
  const { optionId, name, kind } = parsed.data;
  return [{ optionId, name: name ?? optionId, kind: kind ?? "" }];
}

/** Parses a location. ACP lines are 1-based; line 0 means the whole file. */
function toPlace(value: unknown): { path: string; line?: number }[] {
  const parsed = wireLocation.safeParse(value);
  if (!parsed.success) return [];
  const { path, line } = parsed.data;
  return [typeof line === "number" && line > 0 ? { path, line } : { path }];
}

function knownToolCall({ transcript }: AbilitySession, id: string): ItemOf<"tool"> | undefined {
  const index = transcript.byId.get(id);
  const item = index === undefined ? undefined : transcript.items[index];
  return item?.kind === "tool" ? item : undefined;
}

function inputOf(known: ItemOf<"tool"> | undefined): unknown {
  if (known?.input === undefined) return undefined;
  try {
    return JSON.parse(known.input);
  } catch {
    return known.input;
  }
}
