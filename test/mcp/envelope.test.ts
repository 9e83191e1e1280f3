import { expect } from 'chai';
import { envelopeOf, headersOfRequest, isModern, metaNames, refusalOfEnvelope } from '../../src/mcp/envelope.ts';
import type { Message } from '../../src/mcp/json-rpc.ts';
import { envelope } from '../support/modern-client.ts';

describe('The envelope of a request without a session', () => {
  const message = (method: string | undefined, params?: object, id: number | undefined = 1): Message =>
    ({ jsonrpc: '2.0', ...(id && { id }), ...(method && { method }), ...(params && { params }) }) as Message;
  const withMeta = (meta: unknown, method = 'tools/list'): Message => message(method, { _meta: meta });
  const modern = { 'mcp-protocol-version': '2026-07-28' };
  const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const refusal = (
    one: Message,
    headers?: Record<string, string | string[] | undefined>,
  ): { code: number; field: unknown; message: string; mismatch: unknown } | undefined => {
    const error = refusalOfEnvelope(one, headers);
    return (
      error && { code: error.code, field: error.data.field, message: error.message, mismatch: error.data['mismatch'] }
    );
  };

  it('is recognised by a version in _meta, or by a modern header [D2.modern]', () => {
    const rows: readonly (readonly [Message, object | undefined, boolean])[] = [
      [withMeta(envelope()), undefined, true],
      [withMeta(envelope('raw', '2025-11-25')), undefined, true],
      [withMeta({ [metaNames.version]: 5 }), undefined, true],
      [withMeta({ progressToken: 1 }), undefined, false],
      [withMeta(null), undefined, false],
      [withMeta('2026-07-28'), undefined, false],
      [message('tools/list'), undefined, false],
      [message('tools/list'), modern, true],
      [message('tools/list'), { 'mcp-protocol-version': ' 2027-01-01' }, true],
      [message('tools/list'), { 'mcp-protocol-version': '2025-11-25' }, false],
      // Responses answer requests of the service, which only sessions have.
      [{ jsonrpc: '2.0', id: 1, result: {} }, modern, false],
      [withMeta(envelope(), 'initialize'), undefined, true],
      [withMeta(envelope('raw', '2025-11-25'), 'initialize'), undefined, false],
      [withMeta({ [metaNames.version]: '2026-07-28' }, 'initialize'), undefined, false],
      [withMeta({ [metaNames.version]: '2026-07-28' }, 'initialize'), modern, true],
      [message('initialize', {}), undefined, false],
      [message('initialize', {}), modern, true],
    ];
    for (const [one, headers, expected] of rows)
      expect(isModern(one, headers as never), JSON.stringify([one, headers])).to.equal(expected);
  });

  it('has the name of the client, if it gives one, and its capabilities [D2.modern]', () => {
    expect(envelopeOf(withMeta(envelope('coder')))).to.deep.equal({ client: 'coder', capabilities: {} });
    const capabilities = { elicitation: {} };
    const nameless = { [metaNames.version]: '2026-07-28', [metaNames.capabilities]: capabilities };
    expect(envelopeOf(withMeta(nameless))).to.deep.equal({ client: undefined, capabilities });
    expect(envelopeOf(message('notifications/cancelled'))).to.deep.equal({ client: undefined, capabilities: {} });
  });

  it('needs headers over HTTP and none over stdio; they repeat the body, in Base64 if need be [D2.modern]', () => {
    const about = (method: string, member: string, value: string): Message =>
      message(method, { [member]: value, _meta: envelope() });
    const rows = [
      [about('tools/call', 'name', 'get_task'), 'get_task'],
      [about('prompts/get', 'name', 'next'), 'next'],
      [about('resources/read', 'uri', 'planner://a/b c'), 'planner://a/b c'],
      [about('tools/call', 'name', 'créer'), '=?base64?Y3LDqWVy?='],
      [about('tools/call', 'name', ' padded'), '=?base64?IHBhZGRlZA==?='],
      [about('tools/call', 'name', 'padded '), '=?base64?cGFkZGVkIA==?='],
      [about('tools/call', 'name', '=?base64?YQ==?='), '=?base64?PT9iYXNlNjQ/WVE9PT89?='],
      [about('tools/call', 'name', 'x=?base64?YQ==?='), 'x=?base64?YQ==?='],
      [about('tools/call', 'name', '=?base64?YQ==?=x'), '=?base64?YQ==?=x'],
    ] as const;
    for (const [one, name] of rows) {
      const headers = headersOfRequest(one);
      expect(headers).to.deep.equal({
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': one.method,
        'Mcp-Name': name,
      });
      expect(refusal(one, lowerCase(headers)), name).to.equal(undefined);
      expect(refusal(one, { ...lowerCase(headers), 'mcp-name': undefined })).to.include({
        code: -32020,
        field: 'Mcp-Name',
      });
      expect(refusal(one, { ...lowerCase(headers), 'mcp-name': 'other' })).to.include({ code: -32020 });
      expect(refusal(one, undefined)).to.equal(undefined);
    }
    expect(headersOfRequest(message('tools/list'))).to.deep.equal({ 'Mcp-Method': 'tools/list' });
    expect(headersOfRequest(message('tools/call', { name: 5, _meta: envelope() }))).not.to.have.property('Mcp-Name');
    const unnamed = message('tools/call', { name: 5, _meta: envelope() });
    expect(refusal(unnamed, lowerCase(headersOfRequest(unnamed)))).to.equal(undefined);
    for (const invalid of ['=?base64?YQ?=', '=?base64?/w==?=', '=?base64?Y Q=?='])
      expect(refusal(rows[0][0], { ...lowerCase(headersOfRequest(rows[0][0])), 'mcp-name': invalid })).to.include({
        code: -32020,
      });
  });

  it('is refused with the missing or wrong member, in this order [D2.modern-refusals]', () => {
    const field = (name: string): string => `params._meta.${name}`;
    const { version, capabilities, client } = metaNames;
    const meta = envelope();
    const wrong = { ...meta, [version]: '2099-01-01' };
    const rows: readonly (readonly [Message, Record<string, string> | undefined, number, string])[] = [
      [message('tools/list'), modern, -32602, 'params._meta'],
      [withMeta({ [capabilities]: {} }), modern, -32602, field(version)],
      [withMeta({ ...meta, [version]: null }), undefined, -32602, field(version)],
      [withMeta({ [version]: '2026-07-28' }), undefined, -32602, field(capabilities)],
      [withMeta({ ...meta, [capabilities]: null }), undefined, -32602, field(capabilities)],
      [withMeta({ ...meta, [client]: 'name' }), undefined, -32602, field(client)],
      [withMeta({ ...meta, [client]: null }), undefined, -32602, field(client)],
      [withMeta({ ...wrong, [capabilities]: 5 }), undefined, -32602, field(capabilities)],
      [withMeta(wrong), { 'mcp-protocol-version': '2026-07-28' }, -32020, 'MCP-Protocol-Version'],
      [withMeta(wrong), {}, -32022, field(version)],
      [withMeta(wrong), undefined, -32022, field(version)],
      [withMeta(meta), {}, -32020, 'MCP-Protocol-Version'],
      [withMeta(meta), modern, -32020, 'Mcp-Method'],
      [withMeta(meta), { ...modern, 'mcp-method': 'ping' }, -32020, 'Mcp-Method'],
    ];
    for (const [one, headers, code, at] of rows)
      expect(refusal(one, headers), JSON.stringify([one, headers])).to.include({ code, field: at });
    expect(refusal(withMeta({ [capabilities]: {} }), modern)!.message).to.include('is missing');
    expect(refusal(withMeta(meta), {})!.mismatch).to.deep.equal({ header: null, body: 'every request has it' });
    const listed = refusal(withMeta(meta), { ...modern, 'mcp-method': 'ping' })!;
    expect(listed.mismatch).to.deep.equal({ header: 'ping', body: 'the method is "tools/list"' });
    expect(listed.message).to.equal('The header Mcp-Method is "ping", but the method is "tools/list".');
    expect(refusal(withMeta(meta), {})!.message).to.include('MCP-Protocol-Version is missing');
    const twice = { ...modern, 'mcp-protocol-version': ['2026-07-28', '2026-07-28'] };
    expect(refusal(withMeta(meta), twice)).to.include({ code: -32020 });
  });

  it('of a notification is its version alone [D2.modern-refusals]', () => {
    const notification = (meta?: object): Message => ({
      ...{ jsonrpc: '2.0', method: 'notifications/cancelled' },
      ...(meta && { params: { _meta: meta } }),
    });
    expect(refusal(notification(), modern)).to.equal(undefined);
    expect(refusal(notification({ [metaNames.version]: '2026-07-28' }), {})).to.equal(undefined);
    expect(refusal(notification({ [metaNames.version]: '2099-01-01' }), {})).to.include({ code: -32022 });
    expect(refusal(notification({ [metaNames.version]: 5 }), {})).to.include({ code: -32602 });
  });
});
