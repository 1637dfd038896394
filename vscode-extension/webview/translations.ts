// Gives the translations that the extension put into the page to @vscode/l10n. Must be each page's first import, because some modules
// have texts in constants.
import * as l10n from "@vscode/l10n";

const texts = document.querySelector<HTMLMetaElement>('meta[name="SYMPOSIUM_TEXTS"]')?.content;
if (texts !== undefined) l10n.config({ contents: texts });
