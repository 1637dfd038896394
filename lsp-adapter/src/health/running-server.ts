import type { LanguageServer, PublishedDiagnostics } from "../connection/language-server.js";
import type { OpenDocuments } from "../documents/open-documents.js";

/** The last diagnostics that a server published about a document. */
interface Published extends PublishedDiagnostics {
  /** By `performance.now()`. */
  readonly at: number;
}

/** One life of a language server, with what was told to it and heard from it. A restarted one begins anew. */
export interface RunningServer {
  readonly server: LanguageServer;
  readonly documents: OpenDocuments;
  /** By canonical URI. */
  readonly published: Map<string, Published>;
  /** When it was last told of a changed text or file, by `performance.now()`. */
  changedAt: number;
}
