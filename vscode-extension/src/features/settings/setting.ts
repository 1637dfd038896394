import * as l10n from "@vscode/l10n";
import { asObject, parseComponentSpec } from "@symposium-dev/core";

export interface SettingProblem {
  /** Full name of the setting, e.g. `symposium.agents`. */
  readonly setting: string;
  readonly message: string;
  readonly hint?: string;
}

export type Report = (message: string, hint?: string) => void;

/**
 * A setting: its contribution in package.json and its parser. `application` and `machine` settings are never read from a workspace, so that
 * a folder can't choose what runs.
 */
export interface Setting<T> {
  readonly contribution: {
    readonly type: string | readonly string[];
    readonly default: unknown;
    readonly markdownDescription: string;
    readonly scope: "application" | "machine" | "machine-overridable" | "window" | "resource";
    readonly [key: string]: unknown;
  };
  /** Parses a value. Never throws; unusable parts are reported and skipped. */
  read(value: unknown, report: Report): T;
}

export function describe(value: unknown): string {
  if (Array.isArray(value)) return l10n.t("a list");
  if (typeof value === "object" && value !== null) return l10n.t("an object");
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? "nothing" : text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

type ComponentCheck =
  | { readonly kind: "startable" }
  | { readonly kind: "installable" }
  | { readonly kind: "problem"; readonly message: string; readonly hint?: string };

const installedSources = ["cargo", "binary"] as const;

export function checkComponent(spec: string): ComponentCheck {
  const component = parseComponentSpec(spec);
  if (component.kind !== "problem") return { kind: "startable" };
  if (needsInstallation(spec)) return { kind: "installable" };
  const { message, hint } = component;
  return hint === undefined ? { kind: "problem", message } : { kind: "problem", message, hint };
}

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
