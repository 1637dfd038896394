import { type RuleScope, ruleScopeNames, ruleScopeSchema } from "../../../protocol/index.js";
import type { PickerChoice } from "../../controls/picker.js";
import { isAllowing, isRejecting, onceOption, type PermissionItem } from "./permission-answer.js";
import { visibleLabel } from "./visible-text.js";

/** An option of the agent together with a rule of ours. */
export interface RememberedAnswer extends PickerChoice {
  readonly optionId: string;
  readonly remember: RuleScope;
}

const sides = [
  { verb: "Allow", isSide: isAllowing },
  { verb: "Reject", isSide: isRejecting },
];

/** What comes of an option of the agent beyond this request; empty where its kind says nothing. */
export function optionMemory({ kind }: PermissionItem["options"][number], agentName: string): string {
  if (kind.endsWith("_once")) return "this time only";
  return kind.endsWith("_always") ? `${visibleLabel(agentName)} remembers it` : "";
}

/** The answers that we can remember, each for as long as there is a scope. The agent hears its narrowest option. */
export function rememberedAnswers(item: PermissionItem): readonly RememberedAnswer[] {
  const { ruleLabel } = item;
  if (ruleLabel === undefined) return [];
  return sides.flatMap(({ verb, isSide }) => {
    const option = onceOption(item, isSide);
    if (option === undefined) return [];
    return ruleScopeSchema.options.map((remember) => ({
      value: `${verb} ${remember}`,
      name: `${verb} ${ruleScopeNames[remember]}`,
      group: visibleLabel(ruleLabel),
      optionId: option.optionId,
      remember,
    }));
  });
}
