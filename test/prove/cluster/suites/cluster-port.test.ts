import { openApi } from '../../../contract/api-client.ts';
import { describeCluster } from '../../../contract/cluster.contract.ts';
import { describeClusterErrors } from '../../../contract/cluster-errors.contract.ts';
import { openKubeconfig } from '../../../contract/cluster-objects.ts';
import { describeObjectList, listedNamespace } from '../../../contract/object-list.contract.ts';
import { namespace } from '../credentials.ts';
import { idleImage as image } from '../images/images.ts';
import { emptyOfPods } from '../node-objects.ts';
import { openTestCluster } from '../test-cluster.ts';

const { kubeconfig } = await openTestCluster();

describeCluster('real', async () => ({ cluster: await openKubeconfig(kubeconfig), namespace, image }));
describeClusterErrors('real', async () => ({ kubeconfig, namespace, image }));
describeObjectList('real', async () => {
  using api = openApi(kubeconfig);
  await emptyOfPods(api, listedNamespace);
  return await openKubeconfig(kubeconfig);
});
