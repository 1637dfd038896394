import { textOf } from "@symposium-dev/core";
import type { ExtensionContext } from "vscode";

export function extensionVersion(context: ExtensionContext): string {
  const manifest: unknown = context.extension.packageJSON;
  const version = typeof manifest === "object" && manifest !== null && "version" in manifest ? manifest.version : "";
  return textOf(version);
}
