import t from 'tap';
import { ConfigError, parseConfig } from '../../../src/config/config-text.ts';

const parse = (more: string) => parseConfig(`hostname = "mx.box.test"\nbase_domain = "box.test"\n${more}`, '/p.toml');
const problems = (more: string): string[] => {
  try {
    parse(more);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ key }) => key);
    throw error;
  }
};

t.test('times may have fractions, counts may not', (t) => {
  t.equal(parse('[smtp.limits]\ncommand_seconds = 0.25').smtp.limits.command_seconds, 0.25);
  t.same(problems('[budget]\nsmtp_connections = 1.5'), ['budget.smtp_connections']);
  t.same(problems('[smtp.limits]\ncommand_seconds = 0'), ['smtp.limits.command_seconds']);
  t.same(problems('[smtp.limits]\nheader_bytes = 262145'), ['smtp.limits.header_bytes'], 'no more than is read');
  t.same(problems('[smtp.limits]\nconection_seconds = 5'), ['smtp.limits.conection_seconds']);
  t.same(problems('[smtp]\nproxies = ["10.0.0.0/8"]'), ['smtp.proxies'], 'addresses alone');
  t.end();
});

t.test('what cannot stand together', (t) => {
  t.same(problems('[smtp]\nmax_message_bytes = 300000000'), ['budget.message_bytes']);
  const off = '[http]\nlisten = []\n[tls]\nmode = "off"\n';
  t.same(problems(off), []);
  t.same(problems(`${off}[submission]\nlisten = ["0.0.0.0:465"]`), ['submission.listen']);
  t.end();
});
