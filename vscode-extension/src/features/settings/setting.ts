import { asObject, parseComponentSpec } from "@symposium-dev/core";

/** What is wrong with one setting, for the user who wrote it. */
export interface SettingProblem {
  /** Full name, e.g. `symposium.agents`. */
  readonly setting: string;
  readonly message: string;
  /** The next step. */
  readonly hint?: string;
}

/** Takes what is wrong, in words that name the value. */
export type Report = (message: string, hint?: string) => void;

/**
 * One setting: how package.json contributes it, and how its value is read. `application` and `machine` settings are
 * never taken from a workspace, so that a folder cannot choose what runs.
 */
export interface Setting<T> {
  readonly contribution: {
    readonly type: string | readonly string[];
    readonly default: unknown;
    readonly markdownDescription: string;
    readonly scope: "application" | "machine" | "machine-overridable" | "window" | "resource";
    readonly [key: string]: unknown;
  };
  /** Never throws. What cannot be used is reported and left out. */
  read(value: unknown, report: Report): T;
}

/** A value as a message shows it: short, and without what lists and objects contain. */
export function describe(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? "nothing" : text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Whether the command can start a component: at once, after it has been installed, or not at all and why. */
type ComponentCheck =
  | { readonly kind: "startable" }
  | { readonly kind: "installable" }
  | { readonly kind: "problem"; readonly message: string; readonly hint?: string };

/** Ways to obtain a component that only an installation makes startable. */
const installedSources = ["cargo", "binary"] as const;

/** Checks what `--agent` or `--proxy` would be given. */
export function checkComponent(spec: string): ComponentCheck {
  const component = parseComponentSpec(spec);
  if (component.kind !== "problem") return { kind: "startable" };
  if (needsInstallation(spec)) return { kind: "installable" };
  const { message, hint } = component;
  return hint === undefined ? { kind: "problem", message } : { kind: "problem", message, hint };
}

/** Whether a well-formed description offers nothing but sources that have to be installed. */
function needsInstallation(spec: string): boolean {
  if (!spec.startsWith("{")) return false;
  const distribution = asObject(asObject(JSON.parse(spec))?.["distribution"]);
  if (!distribution) return false;
  const { crate } = asObject(distribution["cargo"]) ?? {};
  const isCrate = typeof crate === "string" && crate !== "";
  const isBinary = Object.values(asObject(distribution["binary"]) ?? {}).some(
    (archive) => typeof asObject(archive)?.["archive"] === "string",
  );
  const isOnlySource = Object.keys(distribution).every((key) => installedSources.some((source) => source === key));
  return isOnlySource && (isCrate || isBinary);
}
