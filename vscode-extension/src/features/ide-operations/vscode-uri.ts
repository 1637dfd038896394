import { pathOfFileUri } from "@symposium-dev/core";
import * as vscode from "vscode";

/** A URI of the wire as VS Code has it. */
export function toVsUri(uri: string): vscode.Uri {
  const path = pathOfFileUri(uri);
  return path === undefined ? vscode.Uri.parse(uri, true) : vscode.Uri.file(path);
}
