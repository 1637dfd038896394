/** Re-exports only the used parts of the MCP SDK, so that a bundle loaded on demand contains nothing else. */
export {
  auth,
  Client,
  computeScopeUnion,
  deserializeMessage,
  extractWWWAuthenticateParams,
  OAuthError,
  ProtocolError,
  refreshAuthorization,
  SdkError,
  SdkHttpError,
  // oxlint-disable-next-line typescript/no-deprecated -- servers of this kind are still about
  SSEClientTransport,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
