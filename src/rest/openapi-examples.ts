type Body = Readonly<Record<string, unknown>>;

/** Bodies that show what an operation is for, by its name, members as they are called over REST. The tests send each to its schema. */
export const examples: Readonly<Record<string, Body>> = {
  create_project: { name: 'Web shop', description: 'Sell what the workshop makes.' },
  scaffold_project_from_plan: {
    name: 'Web shop',
    goal: { objective: 'Customers can pay.' },
    tasks: [
      { key: 'cards', label: 'Take cards', status: 'todo', priority: 'high' },
      { key: 'invoices', label: 'Send invoices' },
    ],
    edges: [{ from: 'invoices', to: 'cards', label: 'depends_on' }],
    documents: [{ title: 'Payments', body: '# Payments\n\nCards first, invoices later.', link_to: 'cards' }],
  },
  create_goal: {
    name: 'Payments',
    objective: 'Customers can pay.',
    verification_surface: { kind: 'gate_command', command: 'npm test' },
  },
  complete_goal: { evidence: { kind: 'gate_command', exit_code: 0, detail: '412 passed' } },
  create_task: { label: 'Take cards', priority: 'high', tags: ['checkout'], due_date: '2030-01-31' },
  update_task: { status: 'done', commit_refs: ['4f2c9d1'] },
  claim_task: { agent_ref: 'worker-1', lease_seconds: 900 },
  create_document: { title: 'Payments', body: '# Payments\n\nCards first, invoices later.' },
  create_file: { filename: 'dot.gif', mime: 'image/gif', content_base64: 'R0lGODlhAQABAAAAACwAAAAAAQABAAA=' },
  create_artifact: {
    title: 'Checkout',
    kind: 'html',
    content: '<!doctype html>\n<title>Checkout</title>\n<p>Pay now</p>',
  },
  create_prototype: { name: 'Checkout', viewport: { width: 390, height: 844 } },
  create_note: { title: 'Interviews', body: 'Three of five asked for invoices.' },
  add_task_comment: { body: 'Which cards? See [the fees](planner://document/doc_4n0c2m3p6r9s2e5b).', passage: 'cards' },
  add_artifact_comment: {
    artifact_id: 'design/checkout.html',
    body: 'Too small on a phone.',
    anchor: { type: 'TextQuoteSelector', exact: 'Pay now' },
  },
  start_agent_run: { label: 'Nightly checks', agent_ref: 'worker-1' },
  record_agent_progress: { message: '12 of 40 files checked.', agent_ref: 'worker-1' },
  create_view: { name: 'My work', config: { filter: { status: ['todo', 'in_progress'] } } },
  create_edge: {
    from_type: 'task',
    from_id: 'tsk_4n0c2m8w1x7k9q3f',
    to_type: 'task',
    to_id: 'tsk_4n0c2m3p6r9s2e5b',
    label: 'depends_on',
  },
  put_canvas: {
    nodes: [{ id: 'tsk_4n0c2m8w1x7k9q3f', x: 120, y: 80 }],
    edges: [],
    layout: { zoom: 1 },
  },
};
