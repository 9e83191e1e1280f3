import type { Section } from './section.ts';

/** The needs of real clients, proxies and identity providers. */
export const clients: Section = {
  title: 'Decisions 13: clients as they are',
  now: {
    'D13.undo':
      'undo_change takes one change set back by its cursor: records, fields, edges, comments, tags and claims become what they were, and other changes since stay.',
    'D13.undo-conflict':
      'What was changed, deleted, restored or added since is not overwritten: nothing is taken back, and the conflict says who changed what.',
    'D13.undo-kept':
      'A change set is taken back while the feed keeps it, also after a restart; what is too old, or cannot be deleted, is refused with the reason.',
    'D13.undo-people': 'People take changes back, over REST, on the page and at the command line; agents do not.',
    'D13.if-match': 'If-Match, If-None-Match and since accept a tag that a proxy weakened or marked with its encoding.',
    'D13.nginx':
      'A hosted service works through nginx with gzip as documented: page, uploads, streams, MCP, webhooks, links.',
    'D13.caddy': 'The page and its stream work through Caddy as documented.',
    'D13.json-text':
      'Arguments of tools count as what their JSON text says where the schema wants that; REST stays strict.',
    'D13.absent': 'Null and empty optional arguments of tools count as absent where the field is not nullable.',
    'D13.light-answers': 'Changes are answered to agents without long texts, reads in parts that name the next.',
    'D13.sign-in':
      'Claims are read in the shapes of Entra, Cognito, Okta, Google, Keycloak and Authentik; names decide nothing.',
    'D13.accept': 'Accept is read by RFC 9110: ranges, parameters, quality, any letter case.',
    'D13.providers': 'The schemas of tools are what Gemini, OpenAI in strict mode and Bedrock take.',
  },
};
