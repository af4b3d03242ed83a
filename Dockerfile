# syntax=docker/dockerfile:1
#
# davit as one process, for a cluster (charts/davit) or any other place that runs containers. It needs the package first:
#
#     npm run package
#     docker buildx build --platform linux/amd64,linux/arm64 --sbom=true --provenance=mode=max --tag REGISTRY/davit:VERSION --push .
#
# docs/releasing.md says how a release does it. The root file system may be read-only: davit writes to its state directory, a
# volume, and to /tmp.
ARG BASE=node:24.21.0-bookworm-slim
# Only for a base that is not one name for all platforms: the builder's own.
ARG INSTALL_BASE=${BASE}

# The package is JavaScript only, so the builder's own platform installs it for each platform.
FROM --platform=$BUILDPLATFORM ${INSTALL_BASE} AS install
COPY dist/davit-ci-davit-*.tgz /tmp/davit.tgz
RUN npm install --global --prefix /opt/davit --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund /tmp/davit.tgz

# Said again, because older buildahs go on with the platform of the stage before.
FROM --platform=$TARGETPLATFORM ${BASE}
LABEL org.opencontainers.image.title="davit" \
      org.opencontainers.image.description="Launches CI build agents into Kubernetes" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=install /opt/davit /opt/davit
ENV NODE_ENV=production PATH=/opt/davit/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
# A number, so that Kubernetes' runAsNonRoot can check it. In Node.js' images it is the user `node`.
USER 1000:1000
WORKDIR /var/lib/davit
ENTRYPOINT ["davit"]
CMD ["--help"]
