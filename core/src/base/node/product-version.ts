/** Product version; the bundler inserts the root package.json's version. */
declare const SYMPOSIUM_VERSION: string | undefined;

export const productVersion = typeof SYMPOSIUM_VERSION === "undefined" ? "0.0.0-dev" : SYMPOSIUM_VERSION;

export const extensionName = "symposium-vscode";
