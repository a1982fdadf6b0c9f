/** Instructions for each client: text, and a block to copy. */

export interface Block {
  words?: string;
  code: string;
}

interface ClientNeeds {
  /** The origin of this instance, as `https://mx.example.com`. */
  origin: string;
  key: string;
  /** The recipient of the first mail. */
  to: string;
  /** Only this machine reaches it: clients from elsewhere are left out. */
  isLocal: boolean;
}

export const listClients = ({
  origin,
  key,
  to,
  isLocal,
}: ClientNeeds): { id: string; name: string; blocks: Block[] }[] => {
  const url = `${origin}/mcp?tools=core`;
  const bearer = `Bearer ${key}`;
  const mail = { to: [to], subject: 'First', body: 'It **works**.' };
  const mailText = JSON.stringify(mail).replaceAll('":', '": ').replaceAll(',"', ', "');
  return [
    {
      id: 'claude',
      name: 'Claude',
      blocks: [
        ...(isLocal
          ? []
          : [
              {
                words:
                  'In Claude: Customize, Connectors, +, Add custom connector. Give this address; Claude opens this console, and you say yes. No key is needed.',
                code: url,
              },
            ]),
        {
          words: 'In Claude Code:',
          code: `claude mcp add --transport http postroom '${url}' \\\n  --header "Authorization: ${bearer}"`,
        },
      ],
    },
    {
      id: 'cursor',
      name: 'Cursor',
      blocks: [
        {
          words: 'In ~/.cursor/mcp.json, or Settings, MCP, Add:',
          code: `{ "mcpServers": { "postroom": {\n    "url": "${url}",\n    "headers": { "Authorization": "${bearer}" } } } }`,
        },
      ],
    },
    ...(isLocal
      ? []
      : [
          {
            id: 'chatgpt',
            name: 'ChatGPT',
            blocks: [
              {
                words:
                  'In ChatGPT on the web: Plugins, +, Add custom MCP server. Give this address and choose OAuth; ChatGPT opens this console, and you say yes.',
                code: url,
              },
            ],
          },
        ]),
    {
      id: 'curl',
      name: 'curl',
      blocks: [
        {
          words: 'Anything that speaks HTTP. This sends a mail; 200 says that it is on disk and queued.',
          code: `curl -sS ${origin}/v1/messages \\\n  -H "Authorization: ${bearer}" -H "Content-Type: application/json" \\\n  -d '${mailText}'`,
        },
      ],
    },
    {
      id: 'typescript',
      name: 'TypeScript',
      blocks: [
        {
          words: 'No package is needed:',
          code: `const sent = await fetch('${origin}/v1/messages', {
  method: 'POST',
  headers: { Authorization: '${bearer}', 'Content-Type': 'application/json' },
  body: JSON.stringify(${mailText}),
});
console.log(sent.status, await sent.json());`,
        },
      ],
    },
    {
      id: 'python',
      name: 'Python',
      blocks: [
        {
          words: 'No package is needed:',
          code: `import json, urllib.request

mail = ${mailText}
request = urllib.request.Request("${origin}/v1/messages", json.dumps(mail).encode(),
    {"Authorization": "${bearer}", "Content-Type": "application/json"})
print(urllib.request.urlopen(request).read().decode())`,
        },
      ],
    },
  ];
};
