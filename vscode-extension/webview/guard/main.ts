import "@vscode/codicons/dist/codicon.css";
import "../controls/controls.css";
import "./guard.css";
import * as z from "zod/mini";
import { toGuardSchema } from "../../protocol/guard.js";
import { GuardApp } from "./guard-app.js";

// Compiled validators need eval, which the page's content security policy forbids.
z.config({ jitless: true });

const api = acquireVsCodeApi();
const app = new GuardApp();
app.addEventListener("symposium-guard", ({ detail }) => api.postMessage(detail));
window.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  const message = toGuardSchema.safeParse(data);
  if (message.success) app.state = message.data.state;
});
document.body.append(app);
api.postMessage({ type: "guard-ready" });
