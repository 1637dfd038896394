// Gives the translations for the editor's display language to @vscode/l10n, for all modules of the extension. Must be the entry's first
// import, because some modules have texts in constants.
import * as l10n from "@vscode/l10n";
import { l10n as editor } from "vscode";

if (editor.bundle) l10n.config({ contents: editor.bundle });
