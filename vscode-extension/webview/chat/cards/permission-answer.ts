import * as l10n from "@vscode/l10n";
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

/** Returns the option for a digit key; undefined if the request is answered or has no such option. */
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

/** Returns an allowing or rejecting option (`isSide`): one that applies only once if there is one, otherwise any. */
export function onceOption(
  item: PermissionItem,
  isSide: (option: PermissionOption) => boolean,
): PermissionOption | undefined {
  return item.options.find((option) => isSide(option) && option.kind.endsWith("_once")) ?? item.options.find(isSide);
}

interface RememberedAnswer extends PickerChoice {
  readonly optionId: string;
  readonly remember: RuleScope;
}

/** The two sides of an answer. A lasting rejection isn't offered, because the user can write it as a rule for all agents. */
const sides = [
  { verb: l10n.t("Allow"), isSide: isAllowing, canLast: true },
  { verb: l10n.t("Reject"), isSide: isRejecting, canLast: false },
];

/** Describes an option's effect on later requests; empty if the effect is unknown, or if the options' names describe it. */
export function optionMemory({ kind }: PermissionOption, { agentName, hasOwnAnswers }: PermissionItem): string {
  if (hasOwnAnswers === true) return "";
  if (kind.endsWith("_once")) return l10n.t("this time only");
  return kind.endsWith("_always") ? l10n.t("{0} remembers it", visibleLabel(agentName)) : "";
}

/** Returns the answers that Symposium can remember, one per scope. The agent receives its option with the narrowest effect. */
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
