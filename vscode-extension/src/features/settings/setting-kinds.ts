import * as l10n from "@vscode/l10n";
import { describe, type Setting } from "./setting.js";

type Scope = Setting<unknown>["contribution"]["scope"];

export function flag(markdownDescription: string, isOn: boolean, scope: Scope = "window"): Setting<boolean> {
  return {
    contribution: { type: "boolean", default: isOn, scope, markdownDescription },
    read(value, report) {
      if (typeof value === "boolean") return value;
      report(l10n.t("must be true or false, got {0}.", describe(value)), l10n.t("The default, {0}, is used.", isOn));
      return isOn;
    },
  };
}

export function seconds(markdownDescription: string, initial: number, scope: Scope): Setting<number> {
  return {
    contribution: { type: "number", exclusiveMinimum: 0, default: initial, scope, markdownDescription },
    read(value, report) {
      if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
      report(
        l10n.t("must be a number of seconds above 0, got {0}.", describe(value)),
        l10n.t("The default, {0}, is used.", initial),
      );
      return initial;
    },
  };
}

/** Setting with a text, by default empty. */
export function text(markdownDescription: string, scope: Scope): Setting<string> {
  return {
    contribution: { type: "string", default: "", scope, markdownDescription },
    read(value, report) {
      if (typeof value === "string") return value.trim();
      report(l10n.t("must be text, got {0}.", describe(value)), l10n.t("It is ignored."));
      return "";
    },
  };
}

export function choice<Word extends string>(
  markdownDescription: string,
  words: Readonly<Record<Word, string>>,
  initial: NoInfer<Word>,
  scope: Scope = "window",
): Setting<Word> {
  const names = Object.keys(words) as Word[];
  return {
    contribution: {
      type: "string",
      enum: names,
      markdownEnumDescriptions: Object.values(words),
      default: initial,
      scope,
      markdownDescription,
    },
    read(value, report) {
      const word = names.find((name) => name === value);
      if (word !== undefined) return word;
      const allowed = names.map((name) => JSON.stringify(name)).join(", ");
      report(
        l10n.t("must be one of {0}, got {1}.", allowed, describe(value)),
        l10n.t("The default, {0}, is used.", JSON.stringify(initial)),
      );
      return initial;
    },
  };
}

/** Setting with a list of strings. Items of other types are reported and skipped. */
export function textList(markdownDescription: string, scope: Scope): Setting<readonly string[]> {
  return {
    contribution: { type: "array", items: { type: "string" }, default: [], scope, markdownDescription },
    read(value, report) {
      if (!Array.isArray(value)) {
        report(l10n.t("must be a list of strings, got {0}.", describe(value)), l10n.t("It is ignored."));
        return [];
      }
      return value.filter((item): item is string => {
        if (typeof item === "string" && item !== "") return true;
        report(l10n.t("contains {0}, which isn't text.", describe(item)), l10n.t("That item is ignored."));
        return false;
      });
    },
  };
}
