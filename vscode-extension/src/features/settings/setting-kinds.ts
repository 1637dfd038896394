import { describe, type Setting } from "./setting.js";

type Scope = Setting<unknown>["contribution"]["scope"];

export function flag(markdownDescription: string, isOn: boolean, scope: Scope = "window"): Setting<boolean> {
  return {
    contribution: { type: "boolean", default: isOn, scope, markdownDescription },
    read(value, report) {
      if (typeof value === "boolean") return value;
      report(`must be true or false, got ${describe(value)}.`, `The default, ${isOn}, is used.`);
      return isOn;
    },
  };
}

export function seconds(markdownDescription: string, initial: number, scope: Scope): Setting<number> {
  return {
    contribution: { type: "number", exclusiveMinimum: 0, default: initial, scope, markdownDescription },
    read(value, report) {
      if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
      report(`must be a number of seconds above 0, got ${describe(value)}.`, `The default, ${initial}, is used.`);
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
      report(`must be text, got ${describe(value)}.`, "It is ignored.");
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
      report(`must be one of ${allowed}, got ${describe(value)}.`, `The default, ${JSON.stringify(initial)}, is used.`);
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
        report(`must be a list of strings, got ${describe(value)}.`, "It is ignored.");
        return [];
      }
      return value.filter((item): item is string => {
        if (typeof item === "string" && item !== "") return true;
        report(`contains ${describe(item)}, which isn't text.`, "That item is ignored.");
        return false;
      });
    },
  };
}
