import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { repository } from '../support/server-process.ts';
import { portDefault } from '../../src/base/config.ts';

const run = promisify(execFile);
const directory = join(repository, 'examples/deploy/nodes');
const text = (name: string): string => readFileSync(join(directory, name), 'utf8');

type Values = Readonly<Record<string, unknown>>;

describe('The files for the deployment of several nodes', () => {
  it('are scripts that the shell accepts [D11.deploy]', async () => {
    for (const name of ['database.sh', 'primary.sh']) await run('sh', ['-n', join(directory, name)]);
  });

  it('put two nodes over a primary with a standby, which only the proxy reaches [D11.deploy]', () => {
    const { services, volumes } = parse(text('compose.yaml'), { merge: true }) as {
      readonly services: Readonly<Record<string, Values>>;
      readonly volumes: Values;
    };
    for (const name of ['planner-1', 'planner-2']) {
      const { environment, ...node } = services[name]!;
      expect(node)
        .to.deep.include({ read_only: true, cap_drop: ['ALL'] })
        .and.not.have.property('ports');
      expect((environment as Values)['PLANNER_DATABASE']).to.match(/@db-1:5432,db-2:5432\/planner$/);
    }
    expect(services['migrate']!['command']).to.deep.equal(['node', 'dist/main.js', 'migrate']);
    for (const name of ['db-1', 'db-2']) {
      expect(services[name]).to.not.have.property('ports');
      for (const mount of services[name]!['volumes'] as readonly string[]) {
        const [source = ''] = mount.split(':');
        expect(source.startsWith('./') ? existsSync(join(directory, source)) : source in volumes, mount).to.equal(true);
      }
    }
    expect(text('Caddyfile')).to.include(`planner-1:${portDefault} planner-2:${portDefault}`);
  });

  it('give the superuser, the role of the nodes and the standby a password each [D11.deploy]', () => {
    const { services } = parse(text('compose.yaml'), { merge: true }) as {
      readonly services: Readonly<Record<string, { readonly environment: Readonly<Record<string, string>> }>>;
    };
    const { environment } = services['db-1']!;
    const variables = ['POSTGRES_PASSWORD', 'PLANNER_DATABASE_PASSWORD', 'PLANNER_STANDBY_PASSWORD'].map(
      (name) => /^\$\{(\w+)/.exec(environment[name]!)![1]!,
    );
    expect(new Set(variables).size).to.equal(3);
    expect(services['planner-1']!.environment['PLANNER_DATABASE']).to.include(`planner:\${${variables[1]}:?`);
    expect(text('database.sh')).to.include('PGPASSWORD=$PLANNER_STANDBY_PASSWORD pg_basebackup');
    const statements = text('primary.sh');
    for (const [role, variable] of [
      ['planner LOGIN', 'PLANNER_DATABASE_PASSWORD'],
      ['standby REPLICATION LOGIN', 'PLANNER_STANDBY_PASSWORD'],
    ] as const) {
      const [, name] = new RegExp(`^CREATE ROLE ${role} PASSWORD :'(\\w+)';$`, 'm').exec(statements)!;
      expect(statements).to.include(`\n\\getenv ${name} ${variable}\n`);
    }
  });

  it('give no pod a token of the cluster, and each only the connections that it needs [D11.deploy]', () => {
    const documents = parseAllDocuments(text('kubernetes.yaml')).map((document) => document.toJS() as Values);
    const podsOf = ({ spec }: Values): { readonly metadata: { readonly labels: Values }; readonly spec: Values } =>
      (spec as { readonly template: ReturnType<typeof podsOf> }).template;
    const pods = documents.filter(({ kind }) => kind === 'Job' || kind === 'Deployment').map(podsOf);
    expect(pods).to.have.length(2);
    const policies = documents
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .map(({ spec }) => spec as { readonly podSelector: Values; readonly policyTypes: readonly string[] });
    const [nodes, database] = policies;
    const [{ values }] = nodes!.podSelector['matchExpressions'] as [{ readonly values: readonly string[] }];
    for (const { metadata, spec } of pods) {
      expect(spec).to.include({ automountServiceAccountToken: false });
      expect(values).to.include(metadata.labels['app']);
    }
    expect(nodes!.policyTypes).to.deep.equal(['Ingress', 'Egress']);
    expect(database!.policyTypes).to.deep.equal(['Ingress']);
  });

  it('have nodes in Kubernetes that are asked whether they are ready, and named by their service [D11.deploy]', () => {
    const documents = parseAllDocuments(text('kubernetes.yaml')).map((document) => {
      expect(document.errors).to.deep.equal([]);
      return document.toJS() as Values & { readonly kind: string; readonly metadata: Values; readonly spec: Values };
    });
    expect(documents.map(({ kind }) => kind)).to.include('Job');
    const of = (kind: string): Values => documents.find((one) => one.kind === kind)!.spec;
    const template = of('Deployment')['template'] as {
      readonly metadata: { readonly labels: Values };
      readonly spec: { readonly containers: readonly Values[] };
    };
    const [container] = template.spec.containers;
    expect(container!['readinessProbe']).to.deep.include({ httpGet: { path: '/api/v1/ready', port: 'http' } });
    expect(container!['livenessProbe']).to.deep.include({ httpGet: { path: '/api/v1/health', port: 'http' } });
    expect(of('Service')['selector']).to.deep.equal(template.metadata.labels);
    expect(of('PodDisruptionBudget')['selector']).to.deep.equal({ matchLabels: template.metadata.labels });
    const database = documents.find(({ kind }) => kind === 'Cluster')!.metadata['name'] as string;
    const [{ valueFrom }] = container!['env'] as [{ readonly valueFrom: Values }];
    expect(valueFrom['secretKeyRef']).to.deep.equal({ name: `${database}-app`, key: 'uri' });
  });
});
