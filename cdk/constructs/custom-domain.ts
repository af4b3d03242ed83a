import { ApiMapping, DomainName, type HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { AaaaRecord, ARecord, type IHostedZone, type RecordSet, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';

/** A domain name for the API, instead of AWS's own name. */
export interface CustomDomain {
  /** For example `davit.example.com`. */
  domainName: string;
  /** The certificate for that name, in the stack's region. */
  certificate: ICertificate;
  /**
   * The zone for the name's records.
   *
   * @default none: make a CNAME record to the domain's `regionalDomainName` yourself
   */
  hostedZone?: IHostedZone;
}

/** The API's own name: the domain, its mapping to the API, and its records if a zone is given. */
export class ApiDomain extends Construct {
  readonly domain: DomainName;
  /** Empty if no zone is given. */
  readonly records: readonly RecordSet[];

  constructor(scope: Construct, id: string, { domainName, certificate, hostedZone }: CustomDomain) {
    super(scope, id);
    this.domain = new DomainName(this, 'Domain', { domainName, certificate });
    this.records = hostedZone === undefined ? [] : this.#addRecords(domainName, hostedZone);
  }

  /** Maps the name to a stage of an API. */
  leadTo(stage: HttpStage): ApiMapping {
    return new ApiMapping(this, 'Mapping', { api: stage.api, domainName: this.domain, stage });
  }

  #addRecords(recordName: string, zone: IHostedZone): RecordSet[] {
    const { regionalDomainName, regionalHostedZoneId } = this.domain;
    const properties = new ApiGatewayv2DomainProperties(regionalDomainName, regionalHostedZoneId);
    const record = { zone, recordName, target: RecordTarget.fromAlias(properties) };
    return [new ARecord(this, 'Ipv4', record), new AaaaRecord(this, 'Ipv6', record)];
  }
}
