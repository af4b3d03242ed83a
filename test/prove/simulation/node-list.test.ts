import { NodeList } from '../../../simulation/world/node-list.ts';

let nodes: NodeList;
let removed: string[];

beforeEach(() => {
  nodes = new NodeList(1);
  removed = [];
});

function bind(pod: string, node = 'node-1') {
  return nodes.bind(node, () => removed.push(pod));
}

test('a removed node takes all of its Pods with it, and no others', () => {
  const addresses = bind('one');
  bind('two');
  bind('elsewhere', 'node-2');

  nodes.remove('node-1', addresses);

  expect(removed).toEqual(['one', 'two']);
  expect(nodes.get('node-1')).toBeUndefined();
});

test('a node that replaces a removed one has other addresses, and stays when the old one is removed again', () => {
  const old = bind('one');
  nodes.remove('node-1', old);
  const replacement = bind('two');

  nodes.remove('node-1', old);

  expect(replacement).not.toEqual(old);
  expect(removed).toEqual(['one']);
  expect(nodes.get('node-1')).toBeDefined();
});
