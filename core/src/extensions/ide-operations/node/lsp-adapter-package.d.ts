/**
 * Declares the adapter package as far as the command uses it. The package is built on this one, so its own declarations aren't available
 * here. A test checks that both match.
 */
import type { LspAdapterModule } from "../../../base/ide-operations/lsp-adapter-module.js";

export declare const openIdeOperations: LspAdapterModule["openIdeOperations"];
export declare const runLspAdapter: LspAdapterModule["runLspAdapter"];
export declare const runLspServer: LspAdapterModule["runLspServer"];
export declare const checkLanguageServers: LspAdapterModule["checkLanguageServers"];
