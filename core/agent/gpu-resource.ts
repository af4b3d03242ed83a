/** The resource of GPUs, unless a profile says otherwise. */
export const defaultGpuResource = 'nvidia.com/gpu';
