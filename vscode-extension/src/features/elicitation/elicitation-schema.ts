import * as l10n from "@vscode/l10n";
import { runInNewContext } from "node:vm";
import * as z from "zod/mini";

const choices = z.array(z.looseObject({ const: z.string() }));

const stringProperty = z.looseObject({
  type: z.literal("string"),
  minLength: z.nullish(z.number()),
  maxLength: z.nullish(z.number()),
  pattern: z.nullish(z.string()),
  format: z.nullish(z.string()),
  enum: z.nullish(z.array(z.string())),
  oneOf: z.nullish(choices),
});
const numberProperty = z.looseObject({
  type: z.enum(["number", "integer"]),
  minimum: z.nullish(z.number()),
  maximum: z.nullish(z.number()),
});
const arrayProperty = z.looseObject({
  type: z.literal("array"),
  minItems: z.nullish(z.number()),
  maxItems: z.nullish(z.number()),
  items: z.nullish(
    z.looseObject({ enum: z.nullish(z.array(z.string())), anyOf: z.nullish(choices), oneOf: z.nullish(choices) }),
  ),
});
const property = z.discriminatedUnion("type", [
  stringProperty,
  numberProperty,
  arrayProperty,
  z.looseObject({ type: z.literal("boolean") }),
]);
type Property = z.infer<typeof property>;

const schema = z.looseObject({
  properties: z.nullish(z.record(z.string(), z.unknown())),
  required: z.nullish(z.array(z.string())),
});

/**
 * Returns the problems in a form's answers by property; empty if they are valid. Skips property types unknown to ACP and invalid patterns.
 */
export function answerProblems(requested: unknown, content: Readonly<Record<string, unknown>>): Record<string, string> {
  const parsed = schema.safeParse(requested ?? {});
  if (!parsed.success) return {};
  const properties = parsed.data.properties ?? {};
  const required = new Set(parsed.data.required ?? []);
  const problems: Record<string, string> = {};
  for (const name of Object.keys(content)) {
    if (!Object.hasOwn(properties, name)) problems[name] = l10n.t("The form has no such field.");
  }
  for (const [name, raw] of Object.entries(properties)) {
    const value = Object.hasOwn(content, name) ? content[name] : undefined;
    const known = property.safeParse(raw);
    const problem =
      value === undefined || value === null
        ? required.has(name)
          ? l10n.t("An answer is required.")
          : undefined
        : known.success
          ? valueProblem(known.data, value)
          : undefined;
    if (problem !== undefined) problems[name] = problem;
  }
  return problems;
}

function valueProblem(asked: Property, value: unknown): string | undefined {
  switch (asked.type) {
    case "string":
      return typeof value === "string" ? textProblem(asked, value) : l10n.t("Enter text.");
    case "boolean":
      return typeof value === "boolean" ? undefined : l10n.t("Choose yes or no.");
    case "array":
      return Array.isArray(value) ? selectionProblem(asked, value) : l10n.t("Choose from the list.");
    case "number":
    case "integer":
      return typeof value === "number" ? numberProblem(asked, value) : l10n.t("Enter a number.");
  }
}

function textProblem(asked: z.infer<typeof stringProperty>, text: string): string | undefined {
  const allowed = asked.enum ?? asked.oneOf?.map((choice) => choice.const);
  if (allowed) return allowed.includes(text) ? undefined : l10n.t("Choose one of: {0}.", allowed.join(", "));
  const length = Array.from(text).length;
  if (asked.minLength != null && length < asked.minLength)
    return l10n.t("Enter at least {0} characters.", asked.minLength);
  if (asked.maxLength != null && length > asked.maxLength)
    return l10n.t("Enter at most {0} characters.", asked.maxLength);
  if (asked.pattern != null && matches(asked.pattern, text) === false)
    return l10n.t("Enter text that matches {0}.", asked.pattern);
  return asked.format == null ? undefined : formatProblem(asked.format, text);
}

/** Time limit in milliseconds for a regular expression from an agent or server, which could block the window. */
const patternMs = 100;

/** Returns undefined if the pattern is invalid or exceeds the time limit. */
function matches(pattern: string, text: string): boolean | undefined {
  try {
    const script = 'new RegExp(pattern, "u").test(text)';
    return runInNewContext(script, { pattern, text }, { timeout: patternMs }) === true;
  } catch {
    return undefined;
  }
}

function formatProblem(format: string, text: string): string | undefined {
  switch (format) {
    case "email":
      return /^[^\s@]+@[^\s@]+$/.test(text) ? undefined : l10n.t("Enter an email address.");
    case "uri":
      return URL.canParse(text) ? undefined : l10n.t("Enter a URL such as https://example.com.");
    case "date":
      return isDate(text) ? undefined : l10n.t("Enter a date such as 2026-01-31.");
    case "date-time":
      return isDateTime(text) ? undefined : l10n.t("Enter a time such as 2026-01-31T12:00:00Z.");
    default:
      return undefined;
  }
}

/** `Date` alone accepts day 31 for every month. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [date = "", rest] = text.split(/[Tt]/);
  const hasZone = rest !== undefined && /^\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/.test(rest);
  return hasZone && isDate(date) && !Number.isNaN(Date.parse(text));
}

function numberProblem(asked: z.infer<typeof numberProperty>, value: number): string | undefined {
  if (!Number.isFinite(value)) return l10n.t("Enter a number.");
  if (asked.type === "integer" && !Number.isInteger(value)) return l10n.t("Enter a whole number.");
  if (asked.minimum != null && value < asked.minimum) return l10n.t("Enter a number of at least {0}.", asked.minimum);
  if (asked.maximum != null && value > asked.maximum)
    return l10n.t("Enter a number no greater than {0}.", asked.maximum);
  return undefined;
}

function selectionProblem(asked: z.infer<typeof arrayProperty>, values: readonly unknown[]): string | undefined {
  const { items } = asked;
  const allowed = items?.enum ?? (items?.anyOf ?? items?.oneOf)?.map((choice) => choice.const);
  const isAllowed = (value: unknown): boolean =>
    typeof value === "string" && (allowed === undefined || allowed.includes(value));
  if (!values.every(isAllowed)) return l10n.t("Choose among: {0}.", (allowed ?? []).join(", "));
  if (new Set(values).size !== values.length) return l10n.t("Choose each item only once.");
  if (asked.minItems != null && values.length < asked.minItems) return l10n.t("Choose at least {0}.", asked.minItems);
  if (asked.maxItems != null && values.length > asked.maxItems) return l10n.t("Choose at most {0}.", asked.maxItems);
  return undefined;
}
