/** The parts of the MCP SDK that are used: a bundle of what is loaded on demand has nothing but what is named here. */
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
