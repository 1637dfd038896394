import { parseComponentSpec } from "@symposium-dev/core";
import { asObject } from "./setting.js";

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
