import "@vscode/codicons/dist/codicon.css";
import "../controls/controls.css";
import "./look/page.css";
import "./look/markdown.css";
import "./look/code-colours.css";
import "./look/items.css";
import "./look/tools.css";
import "./look/user.css";
import "./look/changed-files.css";
import * as z from "zod/mini";
import { ChatPage } from "./chat-page.js";

// Compiled validators need eval, which the page's content security policy forbids.
z.config({ jitless: true });

new ChatPage(acquireVsCodeApi(), document).start();
