import {
  type ItemOf,
  type RuleScope,
  ruleScopeNames,
  ruleScopeSchema,
  type ToExtension,
} from "../../../protocol/index.js";
import type { PickerChoice } from "../../controls/picker.js";
import { visibleLabel } from "./visible-text.js";

export type PermissionItem = ItemOf<"permission">;
type PermissionOption = PermissionItem["options"][number];

export interface AnswerExtras {
  readonly remember?: RuleScope | undefined;
  readonly comment?: string | undefined;
  readonly bypassAll?: boolean;
}

/** The message that answers a request with one of its options; without one it is cancelled. */
export function permissionAnswer(
  item: PermissionItem,
  optionId: string | undefined,
  extras: AnswerExtras = {},
): ToExtension {
  const { remember, comment = "" } = extras;
  return {
    type: "approval-response",
    approvalId: item.id,
    response: {
      outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId },
    },
    bypassAll: extras.bypassAll ?? false,
    ...(remember === undefined ? {} : { remember }),
    ...(comment.trim() === "" ? {} : { comment: comment.trim() }),
  };
}

/** The option a digit key stands for; undefined when the request is answered or has no such option. */
export function optionOfKey(item: PermissionItem, key: string): PermissionOption | undefined {
  if (item.answer !== undefined || !/^[1-9]$/u.test(key)) return undefined;
  return item.options[Number(key) - 1];
}

export function isAllowing({ kind }: PermissionOption): boolean {
  return kind.startsWith("allow");
}

export function isRejecting({ kind }: PermissionOption): boolean {
  return kind.startsWith("reject");
}

/** The option of a side that decides about this request alone, else any of that side. */
export function onceOption(
  item: PermissionItem,
  isSide: (option: PermissionOption) => boolean,
): PermissionOption | undefined {
  return item.options.find((option) => isSide(option) && option.kind.endsWith("_once")) ?? item.options.find(isSide);
}

/** An option of the agent together with a rule of ours. */
interface RememberedAnswer extends PickerChoice {
  readonly optionId: string;
  readonly remember: RuleScope;
}

/** What is rejected for ever is a rule of the user's own, which holds for every agent. */
const sides = [
  { verb: "Allow", isSide: isAllowing, canLast: true },
  { verb: "Reject", isSide: isRejecting, canLast: false },
];

/** What comes of an option beyond this request; empty where its kind says nothing, or the options do. */
export function optionMemory({ kind }: PermissionOption, { agentName, hasOwnAnswers }: PermissionItem): string {
  if (hasOwnAnswers === true) return "";
  if (kind.endsWith("_once")) return "this time only";
  return kind.endsWith("_always") ? `${visibleLabel(agentName)} remembers it` : "";
}

/** The answers that we can remember, each for as long as there is a scope. The agent hears its narrowest option. */
export function rememberedAnswers(item: PermissionItem): readonly RememberedAnswer[] {
  const { ruleLabel } = item;
  if (ruleLabel === undefined) return [];
  return sides.flatMap(({ verb, isSide, canLast }) => {
    const option = onceOption(item, isSide);
    if (option === undefined) return [];
    const scopes = canLast && item.canLast === true ? ruleScopeSchema.options : (["session"] as const);
    return scopes.map((remember) => ({
      value: `${verb} ${remember}`,
      name: `${verb} ${ruleScopeNames[remember]}`,
      group: visibleLabel(ruleLabel),
      optionId: option.optionId,
      remember,
    }));
  });
}
