#!/usr/bin/env node
// The command as npm links it; the bundle behind it is made by `npm run build` or `npm start`.
import "../dist/bin/symposium-acp-agent.mjs";
