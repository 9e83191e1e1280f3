import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { parse } from 'yaml';
import { headersOfRequest } from '../../src/mcp/envelope.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { ModernClient, modernRequest } from '../support/modern-client.ts';
import { TestService } from '../support/service.ts';

describe('The extension for skills [D2.skills]', () => {
  let service: TestService;
  let client: ModernClient;

  before(async () => {
    service = await TestService.start();
    client = await ModernClient.connect(service.url);
  });

  after(async () => {
    await client.close();
    await service.stop();
  });

  // Tests look into messages of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  async function ask(method: string, params = {}): Promise<any> {
    const request = modernRequest(1, method, params);
    return (await rawMcp(service.url, request, headersOfRequest(request))).json();
  }

  it('lists a skill for each prompt, whose file is read as a resource', async () => {
    const { prompts } = await client.sdk.listPrompts();
    const { result } = await ask('skills/list');
    expect(result.skills.map(({ uri }: { uri: string }) => uri)).to.deep.equal(
      prompts.map(({ name }) => `skill://planner/${name}/SKILL.md`),
    );
    for (const skill of result.skills) {
      const { contents } = await client.sdk.readResource({ uri: skill.uri });
      const { text, mimeType } = contents[0] as { text: string; mimeType: string };
      expect(mimeType).to.equal('text/markdown');
      const [, head, body] = /^---\n(.*?)\n---\n(.*)$/s.exec(text)!;
      expect(parse(head!)).to.deep.equal(skill.frontmatter);
      const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
      expect(skill.resources).to.deep.equal([{ uri: skill.uri, digest, size: Buffer.byteLength(text) }]);
      expect(body).not.to.include('undefined');
      expect((await ask('skills/get', { uri: skill.uri })).result.skill).to.deep.equal(skill);
    }
  });

  it('has the texts of the prompts', async () => {
    const { messages } = await client.sdk.getPrompt({ name: 'standup', arguments: {} });
    const { text: prompt } = messages[0]!.content as { text: string };
    const { contents } = await client.sdk.readResource({ uri: 'skill://planner/standup/SKILL.md' });
    const [first = ''] = prompt.split('\n');
    expect((contents[0] as { text: string }).text).to.include(first);
  });

  it('rejects an unknown skill', async () => {
    for (const uri of ['skill://planner/none/SKILL.md', 5, undefined])
      expect((await ask('skills/get', { uri })).error.code).to.equal(-32602);
    const { error } = await ask('resources/read', { uri: 'skill://planner/none/SKILL.md' });
    expect(error.data).to.include({ error: 'not_found' });
  });
});
