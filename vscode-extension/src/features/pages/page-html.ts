import { randomBytes } from "node:crypto";

interface ChatPageOptions {
  /** Allowed origin for the page's files (`webview.cspSource`). */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  /** Id that changes whenever the extension is activated. A changed id makes the page discard its saved state. */
  readonly sessionId: string;
  readonly tabId?: string;
  /** Value of `vscode.env.language`. */
  readonly language: string;
  /** Translations of texts by the English text; undefined in English. */
  readonly texts?: Readonly<Record<string, string>> | undefined;
}

/** Returns the HTML of the chat page. Its CSP allows only our script and our files. */
export function chatPage({
  cspSource,
  scriptUri,
  styleUri,
  sessionId,
  tabId,
  language,
  texts,
}: ChatPageOptions): string {
  const nonce = randomBytes(16).toString("base64url");
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} data: blob:`,
    "media-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${attribute(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="SYMPOSIUM_SESSION_ID" content="${attribute(sessionId)}">${meta("SYMPOSIUM_TAB_ID", tabId)}${meta("SYMPOSIUM_TEXTS", texts && JSON.stringify(texts))}
<link rel="stylesheet" href="${attribute(styleUri)}">
<title>Symposium</title>
</head>
<body>
<script type="module" nonce="${nonce}" src="${attribute(scriptUri)}"></script>
</body>
</html>
`;
}

function meta(name: string, content: string | undefined): string {
  return content === undefined ? "" : `\n<meta name="${name}" content="${attribute(content)}">`;
}

function attribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
