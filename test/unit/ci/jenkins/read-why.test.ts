import { readWhy } from '../../../../ci/jenkins/read-why.ts';

const isNode = (name: string) => name === 'davit-1';

test.each([
  ['There are no nodes with the label ‘linux’', { label: 'linux' }],
  ['All nodes of label ‘linux&&docker’ are offline', { label: 'linux&&docker' }],
  ['‘Built-In Node’ doesn’t have label ‘!arm’', { label: '!arm' }],
  ['‘Built-In Node’ doesn’t have label ‘linux’; ‘davit-1’ is offline', { label: 'linux' }],
  ['‘davit-1’ is offline; ‘Built-In Node’ doesn’t have label ‘linux’', { label: 'linux' }],
  ['Waiting for next available executor on ‘linux||mac’', { label: 'linux||mac' }],
  ["There are no nodes with the label 'linux'", { label: 'linux' }],
  // Exactly one node has the label.
  ['‘davit-1’ is offline', { node: 'davit-1' }],
  ['Waiting for next available executor on ‘davit-1’', { node: 'davit-1' }],
  // Neither is named.
  ['Waiting for next available executor', undefined],
  ['‘Built-In Node’ is reserved for jobs with matching label expression', undefined],
  ['‘davit-1’ is offline; ‘davit-2’ is offline', undefined],
  ['Jenkins is about to shut down', undefined],
  ['In the quiet period. Expires in 4.9 sec', undefined],
  ['Es gibt keine Knoten mit dem Label ‘linux’', undefined],
  ['', undefined],
])('%j says %j', (why, expected) => {
  expect(readWhy(why, isNode)).toEqual(expected);
});
